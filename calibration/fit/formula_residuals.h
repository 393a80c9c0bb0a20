// Measured kernels against a kernel formula of model/formula/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calibration/fit/residual_functions.h"
#include "core/units.h"
#include "model/cost/cost_model.h"

namespace paceline {

struct Observation {
  Kernel kernel;
  ExecutionContext context;
  Seconds measured;
  double noise = 0;   // sd of ln(measured) seen between rounds
  std::string group;  // shapes alike enough to share an error of the formula
};

// Differentiates the formula named `formula` with ceres::Jet at every observation. Throws
// InputError for an unknown formula or a kernel of another kind.
std::unique_ptr<ResidualFunctions> formula_residuals(const std::string& formula,
                                                     std::vector<Observation> observations);

}  // namespace paceline
