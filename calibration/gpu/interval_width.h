// How wide the intervals of predictions must be, learnt from predictions of folds that took no part
// in a fit. The standard deviation of ln(predicted / measured) of one prediction is
//
//   sd^2 = parameters^2 v + shared^2 + own^2
//
// with v the variance that the parameters' own errors give. First the parts: `shared` is what the
// typical error of a fold exceeds v by, `own` the scatter within a fold. Then a factor on all of
// it, so that the 90 % interval holds 90 % of the errors, folds counting equally. A further fold is
// off by the error of the mean of n folds besides its own, so the factor carries sqrt(1 + 1/n).
//
// Coverage is always that of a fold by the width which the *other* folds give.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibration/gpu/gpu_score.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

struct IntervalWidth {
  double shared_sd = 0;
  double own_sd = 0;
  double parameters = 1;  // factor on the standard deviations of the parameters
};

// Folds are devices that were left out: parameters pooled one by one count their errors too high or
// too low, so the factor is on them too. `least` bounds the factor from below: one device that
// happens to be met well does not make the next one sure.
IntervalWidth width_of_devices(std::span<const std::vector<UnseenShape>> folds, double least = 0);
// Folds are groups of shapes that the fit of one device did not see: its parameters' errors are
// right, so the factor is on the formula's error alone.
IntervalWidth width_of_shapes(const std::vector<UnseenShape>& shapes);

// Puts the width into the shapes' `sd`.
void state_sds(std::span<UnseenShape> shapes, const IntervalWidth& width);
// To each device the width of the others; its own where there is no other.
void state_sds_by_others(std::span<std::vector<UnseenShape>> folds);
// To shapes, cut into a few folds of whole groups, that of the other folds; reorders them.
void state_sds_by_other_groups(std::vector<UnseenShape>& shapes);

// Puts the width into a fit: its quality, and the errors of its parameters.
void set_width(Fit& fit, const IntervalWidth& width);

}  // namespace paceline
