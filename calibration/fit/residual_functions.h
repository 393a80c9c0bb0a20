// The residuals ln(predicted / measured) of a fit, as functions Ceres can differentiate. Private to
// calibration/*.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "calibration/fit/fit_parameter.h"

namespace ceres {
class CostFunction;
}

namespace paceline {

class ResidualFunctions {
 public:
  virtual ~ResidualFunctions() = default;
  virtual std::size_t count() const = 0;
  // Residual `i`, divided by `sigma`, of one block of size 1 (the free variable) per parameter. The
  // caller owns it; `parameters` must outlive it.
  virtual ceres::CostFunction* make(std::size_t i, double sigma,
                                    const std::vector<FitParameter>& parameters) const = 0;
};

}  // namespace paceline
