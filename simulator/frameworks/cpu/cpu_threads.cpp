#include "simulator/frameworks/cpu/cpu_threads.h"

#include <algorithm>

#include "core/data_directory.h"

namespace paceline {
namespace {

constexpr const char* kProduct = "openblas.sgemm";
constexpr const char* kLibrary = "onednn.";

void use_threads(const CpuRules& rules, int threads, IssuedCall& call) {
  if (!call.kernel) return;
  const std::string& implementation = call.kernel->implementation;
  const bool per_image = call.repeat > 1;
  if (rules.images_in_parallel && rules.unrolled_convolutions && per_image) {
    call.repeat = (call.repeat + threads - 1) / threads;
    call.threads = 1;
    return;
  }
  if (implementation == kProduct || implementation.starts_with(kLibrary)) return;
  if (!rules.elementwise_in_parallel) call.threads = 1;
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
