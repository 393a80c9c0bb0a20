// collective.protocol/1 at measured points, as residuals. Private to calibration/*.cpp.
#pragma once

#include <vector>

#include "calibration/fit/fit_parameter.h"
#include "calibration/fit/residual_functions.h"
#include "model/formula/collective_protocol.h"

namespace paceline {

class CollectiveResiduals : public ResidualFunctions {
 public:
  void add(const formula::CollectiveProtocol::Input& input, double measured_s) {
    inputs_.push_back(input);
    measured_.push_back(measured_s);
  }
  std::size_t count() const override { return inputs_.size(); }
  ceres::CostFunction* make(std::size_t i, double sigma,
                            const std::vector<FitParameter>& parameters) const override;

 private:
  std::vector<formula::CollectiveProtocol::Input> inputs_;
  std::vector<double> measured_;
};

// Priors: orders of magnitude that any current fabric has, wide enough (a factor e or more either
// way) that a few points move them; they keep terms finite that a set of sizes does not show.
// Libraries on host memory copy and add with the processor, ten thousand times slower than a
// device.
std::vector<FitParameter> collective_fit_parameters(bool on_host);

}  // namespace paceline
