#include "model/cost/constant_rate.h"

#include "core/error.h"

namespace paceline {

ConstantRateCostModel::ConstantRateCostModel(FlopsPerSecond rate, std::string source)
    : rate_(rate), source_(std::move(source)) {
  PACELINE_ASSERT(rate_.si() > 0, "a rate is positive");
}

KernelCost ConstantRateCostModel::cost(const Kernel& kernel, const ExecutionContext&) const {
  KernelCost out;
  out.time = kernel_flops(kernel.shape) / rate_;
  out.bound = Bound::kCompute;
  out.origin = {OriginKind::kDataSheet, source_};
  return out;
}

}  // namespace paceline
