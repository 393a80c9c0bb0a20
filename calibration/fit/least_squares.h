// Robust nonlinear least squares with priors, several deterministic starts and a covariance: the
// one place that drives Ceres.
//
//   minimise  sum_i 2 (sqrt(1 + r_i^2) - 1)  +  sum_k ((c_k - center_k) / prior_sd_k)^2
//
// over the coordinates c_k, with r_i = ln(predicted / measured) / sigma_i (docs/models/
// uncertainty.md). The covariance is (J' J)^-1 of the robustified problem including the priors,
// scaled by max(1, chi^2 / degrees of freedom).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/fit/fit_parameter.h"

namespace paceline {

// Residuals of a fit, for any set of coordinates. Its only implementation besides tests makes them
// from kernel formulas (formula_residual.h); Ceres stays out of this header.
class ResidualFunctions;

struct LeastSquaresOptions {
  int starts = 8;
  std::uint32_t seed = 1;
  int max_iterations = 400;
  double tolerance = 1e-8;  // relative change of the cost at which a start has converged
};

struct LeastSquaresResult {
  bool converged = false;
  std::string termination;         // why the solver stopped, or why the fit is refused
  std::vector<double> values;      // SI units, in the order of the parameters
  std::vector<double> covariance;  // row-major, of the coordinates; 0 for given parameters
  std::vector<double> residuals;   // ln(predicted / measured), without the priors
  double cost = 0;                 // of the best start
  int starts = 0;
  int agreeing_starts = 0;                        // that reached the best cost within 1 %
  std::vector<std::string> left_to_prior;         // parameters the data say little about
  std::vector<std::string> at_limit;              // that ended at a physical limit
  std::vector<std::string> required_but_unknown;  // required ones among left_to_prior
};

// `sigma[i]` weights residual i. Throws nothing for a failed fit: see `converged`.
LeastSquaresResult solve_least_squares(const std::vector<FitParameter>& parameters,
                                       const ResidualFunctions& functions,
                                       const std::vector<double>& sigma,
                                       const LeastSquaresOptions& options);

}  // namespace paceline
