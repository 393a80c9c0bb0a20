// Fits one kernel formula to the measurements of one implementation, and says honestly how well it
// predicts shapes it has not seen.
//
//   1. The shapes are split: a fixed quarter is held out (selection/split.h).
//   2. Alternatives of given parameters (register tiles, say) are tried on the rest; the best
//   stays.
//   3. The errors on the held-out shapes are those reported; their two parts become the
//      uncertainty of a prediction (selection/error_parts.h).
//   4. The parameters that are written come from a second fit on all shapes, if asked for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/fit/fit_parameter.h"
#include "calibration/fit/formula_residuals.h"
#include "calibration/fit/least_squares.h"

namespace paceline {

struct KernelProblem {
  std::string implementation;
  std::string formula;
  std::vector<FitParameter> parameters;  // in the formula's order
  std::vector<Observation> observations;
  // Values of given parameters to choose between, by name; empty to keep `parameters` as they are.
  std::vector<std::map<std::string, double>> alternatives;
};

struct KernelFitOptions {
  LeastSquaresOptions solver;
  double expected_scatter = 0.08;  // sd of ln(predicted / measured) before the first solution
  // Above either the formula does not describe the measurements: typical errors of ln(time) on all
  // shapes, and on a dozen or more held-out ones.
  double largest_scatter = 0.30;
  double largest_held_out_error = 0.50;
  double largest_mean_error = 1.00;  // on held-out shapes, however few: no better than a guess
  bool refit_on_all = true;
};

// One measured shape beside its prediction.
struct FittedSample {
  std::string shape;
  int threads = 1;
  double measured_s = 0;
  double predicted_s = 0;  // by the fit that did not see held-out shapes
  bool held_out = false;
};

struct FitResult {
  bool usable = false;
  std::string termination;  // "converged", or why the fit is refused
  // Why one that is usable is poor: its typical error on held-out shapes is above
  // largest_held_out_error, of too few of them to refuse it; or "".
  std::string doubt;
  Fit fit;  // of no meaning unless usable
  std::vector<FittedSample> samples;
  std::string report;  // for people: parameters with errors, residuals, worst shapes
};

FitResult fit_kernel(const KernelProblem& problem, const KernelFitOptions& options);

}  // namespace paceline
