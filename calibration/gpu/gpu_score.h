// How far a fit is from timings, and the data-sheet roofline beside it.
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/formula_residuals.h"
#include "core/statistics.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

// A prediction of one shape by a fit that has not seen it.
struct UnseenShape {
  std::string shape;
  std::string group;              // of similar shapes
  double log_error = 0;           // ln(predicted / measured)
  double parameter_variance = 0;  // of ln(predicted)
};

struct Score {
  std::vector<UnseenShape> shapes;
  ErrorSummary predicted;
  ErrorSummary roofline;
  double coverage90 = 0;  // share inside the 90 % interval that the fit states
};
Score score(const Fit& fit, const std::vector<Observation>& observations);

// Variance of ln(time) by the parameters' errors alone, for each observation.
std::vector<double> parameter_variances(const Fit& fit,
                                        const std::vector<Observation>& observations);

}  // namespace paceline
