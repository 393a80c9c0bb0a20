#include "simulator/frameworks/cpu/cpu_threads.h"

#include <algorithm>

#include "core/data_directory.h"

namespace paceline {
namespace {

constexpr const char* kProduct = "openblas.sgemm";
constexpr const char* kLibrary = "onednn.";

bool is_product(const std::string& implementation) {
  return implementation == kProduct || implementation.starts_with(kLibrary);
}

// Of the product of an image, the one that adds to the gradient of the filters reads its columns
// transposed.
bool adds_to_filters(const IssuedCall& call) {
  const auto* product = std::get_if<GemmShape>(&call.kernel->shape);
  return product != nullptr && product->trans_a;
}

bool one_image_a_thread(const CpuRules& rules, const IssuedCall& call) {
  const bool per_image = rules.unrolled_convolutions && call.repeat > 1;
  return per_image &&
         (adds_to_filters(call) ? rules.filters_in_parallel : rules.images_in_parallel);
}

// Whether the library keeps a product on the thread that calls it.
bool too_narrow(const CpuRules& rules, int threads, const KernelShape& shape) {
  const auto* product = std::get_if<GemmShape>(&shape);
  return product != nullptr && std::min(product->m, product->n) < rules.lines_per_thread * threads;
}

bool runs_on_one_thread(const CpuRules& rules, int threads, const Kernel& kernel) {
  if (is_product(kernel.implementation)) return too_narrow(rules, threads, kernel.shape);
  return !rules.elementwise_in_parallel ||
         std::ranges::find(rules.one_thread, kernel.implementation) != rules.one_thread.end();
}

void use_threads(const CpuRules& rules, int threads, IssuedCall& call) {
  if (!call.kernel) return;
  if (one_image_a_thread(rules, call)) {
    call.repeat = (call.repeat + threads - 1) / threads;
    call.side_by_side = threads > 1;
  } else if (runs_on_one_thread(rules, threads, *call.kernel)) {
    call.threads = 1;
  }
}

}  // namespace

FrameworkRecord cpu_record(const CpuRules& rules) {
  FrameworkRecord record =
      read_framework_record(data_directory() / "model/catalog/frameworks/pytorch.json");
  record.per_image_gemm.always = rules.unrolled_convolutions;
  return record;
}

void use_threads(const CpuRules& rules, int threads, IssuedIteration& iteration) {
  for (auto* calls : {&iteration.begin, &iteration.micro_batch, &iteration.update}) {
    for (IssuedCall& call : *calls) use_threads(rules, std::max(1, threads), call);
  }
}

}  // namespace paceline
