// A constant FLOP rate ("constant MFU"), the estimate people make on a napkin: matrix and
// convolution work at one rate, everything else free. A null model to print beside every error.
#pragma once

#include <string>

#include "model/cost/cost_model.h"

namespace paceline {

class ConstantRateCostModel : public CostModel {
 public:
  // `source` says where the rate comes from.
  ConstantRateCostModel(FlopsPerSecond rate, std::string source);
  KernelCost cost(const Kernel& kernel, const ExecutionContext& context) const override;

 private:
  FlopsPerSecond rate_;
  std::string source_;
};

}  // namespace paceline
