#include "simulator/report/fp8_share.h"

#include "core/error.h"
#include "core/percent.h"
#include "simulator/report/report_parts.h"

namespace paceline {
namespace {

constexpr double kNoteworthy = 0.5;
constexpr const char* kWhichLayers =
    "linear layers whose inputs have rows in multiples of 8 and sizes in multiples of 16";

}  // namespace

double share_in_fp8(const IterationPlan& plan) {
  Flops all;
  Flops in_fp8;
  for_each_call(plan, {}, [&](const PlannedCall& call, std::int64_t times, double) {
    if (call.kernel == PlannedCall::kNoKernel) return;
    const Kernel& kernel = plan.kernels[call.kernel].kernel;
    const Flops flops = static_cast<double>(times) * kernel_flops(kernel.shape);
    all += flops;
    if (kernel.precision == Precision::kFp8) in_fp8 += flops;
  });
  return all > Flops() ? in_fp8 / all : 0;
}

std::optional<std::string> fp8_remark(const Experiment& e, const IterationPlan& plan) {
  if (e.precision != Precision::kFp8) return std::nullopt;
  const double share = share_in_fp8(plan);
  if (!(share > 0)) {
    throw UsageError("--precision fp8 has no effect on " + e.model +
                     ": only products of some layers run in fp8 (" + kWhichLayers +
                     "), and it has none; give bf16, in which all of it runs");
  }
  if (share >= kNoteworthy) return std::nullopt;
  return percent(share) + " of the arithmetic runs in fp8 (" + kWhichLayers +
         "), all other in bf16: --precision bf16 may be as fast";
}

}  // namespace paceline
