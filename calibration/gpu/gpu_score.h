// How far a fit is from timings that it has not seen, fold by fold, and the simple models beside
// it: the data-sheet roofline, and the nearest GPU's distance from its own roofline.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibration/fit/formula_residuals.h"
#include "core/statistics.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

// A prediction of one shape by a fit that has not seen it.
struct UnseenShape {
  std::string shape;              // with its precision
  std::string group;              // of similar shapes
  double log_error = 0;           // ln(predicted / measured)
  double parameter_variance = 0;  // of ln(predicted)
  double sd = 0;                  // of ln(predicted / measured), as other folds have it
  double measured = 0;            // seconds
  double log_roofline = 0;        // ln(roofline / measured)
  double log_nearest = 0;         // ln(nearest GPU's ratio to its roofline, times this / measured)
};

// The predictions of one device's timings by one way of predicting them.
struct GpuFold {
  std::string device;
  std::string_view split;  // kOwnFit, ... of fold_residuals.h
  std::vector<UnseenShape> shapes;

  ErrorSummary errors() const;
  double coverage90() const;  // by `sd`
};

// `sd` is what the fit itself states.
std::vector<UnseenShape> score(const Fit& fit, const std::vector<Observation>& observations);

// ln(measured / roofline) of each observation.
std::vector<double> above_roofline(const std::vector<Observation>& observations);

}  // namespace paceline
