// Kernel costs from the fitted formulas of one device.
#pragma once

#include <string_view>
#include <vector>

#include "model/cost/cost_model.h"
#include "model/cost/prepared_fit.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

// A kernel is costed by the fit named like its implementation; convolutions first look for a fit of
// their pass ("onednn.conv.dgrad"). The standard deviation of ln(time) is
//   shared^2 = (g' C g + family bias^2) (1 + h),   own^2 = (scatter of single shapes)^2,
// with g the gradient of ln(time) in the parameters' coordinates, C their covariance, and h the
// leverage min(3, g' C g / scatter^2), applied outside the shapes the fit has seen
// (docs/models/uncertainty.md).
class FittedCostModel : public CostModel {
 public:
  // Throws InputError if a fit names an unknown formula, or lacks or repeats one of its parameters.
  // Fits that are not of kernels ("pytorch.host") are kept aside.
  explicit FittedCostModel(ParameterSet parameters);
  FittedCostModel(FittedCostModel&&) = default;
  FittedCostModel(const FittedCostModel&) = delete;  // the prepared fits point into the set

  KernelCost cost(const Kernel& kernel, const ExecutionContext& context) const override;

  // Null if no kernel was fitted under this name.
  const PreparedFit* find(std::string_view implementation) const;

  const ParameterSet& parameters() const { return parameters_; }

 private:
  const PreparedFit& fit_of(const Kernel& kernel) const;

  ParameterSet parameters_;
  std::vector<PreparedFit> fits_;
};

}  // namespace paceline
