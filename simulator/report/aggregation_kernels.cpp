#include "simulator/report/aggregation_kernels.h"

#include <algorithm>

#include "simulator/strategies/parts/constants.h"

namespace paceline {
namespace {

constexpr double kNoShare = 1e-9;  // of the iteration: rounding

// Queues on which strategies compute; on the others they copy or send.
constexpr std::string_view kComputingQueues[] = {"adds", "average", "coordination", "optimizer",
                                                 "pack", "unpack",  "quantization", "updates"};

bool has_compression(const StrategyOptions& options) {
  return options.has("compression") && !options.is("compression", "none");
}

Origin kernel_origin(const JobSpec& job, const StrategyOptions& options) {
  if (options.has("compression_time") && options.was_set("compression_time")) {
    return {OriginKind::kMeasured, "--set compression_time"};
  }
  if (has_compression(options) &&
      (options.is("compression", "top-k") || options.is("compression", "gtop-k"))) {
    return {OriginKind::kExtrapolated, strategy_constant_source("top-k.selection_traffic")};
  }
  std::int64_t elements = 0;
  for (const GradientTensor& gradient : job.profile.gradients) elements += gradient.elements;
  Kernel stream;
  stream.implementation = "aten.add_";
  stream.shape = StreamShape{.elements = std::max<std::int64_t>(1, elements),
                             .read = job.profile.gradient_bytes(),
                             .written = job.profile.gradient_bytes()};
  stream.precision = Precision::kFp32;
  return job.costs->cost(stream, job.context).origin;
}

}  // namespace

AggregationKernels aggregation_kernels(const JobSpec& job, const StrategyOptions& options,
                                       const JobResult& result) {
  const Breakdown& b = result.breakdown;
  const Seconds model = b.forward + b.backward + b.optimizer;
  AggregationKernels out;
  out.name = has_compression(options) ? "compression" : "packing and adding gradients";
  out.share = result.compute_share - model / result.iteration_time;
  if (out.share < kNoShare) {
    out.share = 0;
    return out;
  }
  out.origin = kernel_origin(job, options);
  return out;
}

bool is_computing(std::string_view resource) {
  return std::ranges::any_of(kComputingQueues,
                             [&](std::string_view queue) { return resource.ends_with(queue); });
}

}  // namespace paceline
