// How far a fit is from timings, and the data-sheet roofline beside it.
#pragma once

#include <vector>

#include "calibration/fit/formula_residuals.h"
#include "core/statistics.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

struct Score {
  ErrorSummary predicted;
  ErrorSummary roofline;
  double coverage90 = 0;    // share inside the 90 % interval
  double typical_bias = 0;  // median of ln(predicted / measured)
  double scatter = 0;       // robust spread around it
};
Score score(const Fit& fit, const std::vector<Observation>& observations);

// Variance of ln(time) by the parameters' errors alone, for each observation.
std::vector<double> parameter_variances(const Fit& fit,
                                        const std::vector<Observation>& observations);

}  // namespace paceline
