#include "model/cost/roofline.h"

#include <algorithm>

#include "core/error.h"

namespace paceline {

RooflineCostModel::RooflineCostModel(RooflineLimits limits) : limits_(std::move(limits)) {
  PACELINE_ASSERT(limits_.bandwidth.si() > 0, "a roofline has a bandwidth");
}

KernelCost RooflineCostModel::cost(const Kernel& kernel, const ExecutionContext& context) const {
  KernelCost out;
  out.bound = Bound::kMemory;
  out.time = kernel_bytes(kernel.shape, kernel.precision) / limits_.bandwidth;
  out.origin = {OriginKind::kDataSheet, limits_.source};
  const Flops flops = kernel_flops(kernel.shape);
  if (flops.si() == 0) return out;
  const auto peak = limits_.peak.find(kernel.precision);
  if (peak == limits_.peak.end()) {
    throw MissingParameter("no data-sheet peak for " + std::string(to_string(kernel.precision)) +
                           " in " + limits_.source);
  }
  const double share =
      limits_.cores > 0
          ? static_cast<double>(std::min(context.threads, limits_.cores)) / limits_.cores
          : 1.0;
  const Seconds compute = flops / (peak->second * share);
  if (compute > out.time) {
    out.time = compute;
    out.bound = Bound::kCompute;
  }
  return out;
}

}  // namespace paceline
