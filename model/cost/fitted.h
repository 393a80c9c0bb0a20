// Kernel costs from the fitted formulas of one device.
#pragma once

#include <string>
#include <vector>

#include "model/cost/cost_model.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

struct FormulaEntry;

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
  FittedCostModel(const FittedCostModel&) = delete;  // the entries point into the set

  KernelCost cost(const Kernel& kernel, const ExecutionContext& context) const override;

  const ParameterSet& parameters() const { return parameters_; }

 private:
  struct Entry {
    const Fit* fit;
    const FormulaEntry* formula;
    std::vector<double> values;          // in the formula's order
    std::vector<ParameterScale> scales;  // likewise
    std::vector<double> covariance;      // likewise; empty if nothing was fitted
  };
  Entry make_entry(const Fit& fit) const;
  const Entry& entry_of(const Kernel& kernel) const;
  std::string source_text(const Fit& fit) const;

  ParameterSet parameters_;
  std::vector<Entry> entries_;
};

// Variance of ln(time) by parameter error alone.
double parameter_variance(const FormulaEntry& formula, const Kernel& kernel,
                          const ExecutionContext& context, const std::vector<double>& values,
                          const std::vector<ParameterScale>& scales,
                          const std::vector<double>& covariance);

}  // namespace paceline
