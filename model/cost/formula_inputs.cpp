#include "model/cost/formula_inputs.h"

namespace paceline {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

}  // namespace

void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::CpuGemm::Input& input) {
  const GemmShape& s = shape_of<GemmShape>(kernel, "gemm");
  input = {.m = number(s.m),
           .n = number(s.n),
           .k = number(s.k),
           .batch = number(s.batch),
           .trans_a = s.trans_a,
           .trans_b = s.trans_b,
           .element_bytes = element_size(kernel.precision).si(),
           .threads = static_cast<double>(context.threads),
           .reuse_distance = context.reuse_distance.si()};
}

void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::CpuConvolution::Input& input) {
  const ConvShape& s = shape_of<ConvShape>(kernel, "convolution");
  input = {.n = number(s.n),
           .c = number(s.c),
           .h = number(s.h),
           .w = number(s.w),
           .k = number(s.k),
           .r = number(s.r),
           .s = number(s.s),
           .p = number(s.output_h()),
           .q = number(s.output_w()),
           .groups = number(s.groups),
           .strided = s.stride_h > 1 || s.stride_w > 1,
           .input_gradient = s.pass == Pass::kDgrad,
           .element_bytes = element_size(kernel.precision).si(),
           .threads = static_cast<double>(context.threads),
           .reuse_distance = context.reuse_distance.si()};
}

void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::CpuStream::Input& input) {
  const StreamShape& s = shape_of<StreamShape>(kernel, "stream");
  input = {.elements = number(s.elements),
           .bytes = s.read.si() + s.written.si(),
           .rows = s.row > 0 ? number(s.elements) / number(s.row) : 0,
           .window = number(s.elements) * number(s.row),
           .threads = static_cast<double>(context.threads),
           .reuse_distance = context.reuse_distance.si()};
}

}  // namespace paceline
