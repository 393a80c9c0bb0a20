// One unknown of a fit: what is believed about it before the data, and what is physically possible.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "model/parameters/parameter_set.h"

namespace paceline {

struct FitParameter {
  std::string name;
  std::string unit;
  ParameterScale scale = ParameterScale::kLog;
  double center = 1;  // of the prior, in SI units; the first start
  // Standard deviation of the prior in the coordinate (0.5 on the log scale: a factor 1.65 either
  // way); 0 for no prior.
  double prior_sd = 0;
  // Physical limits, if any, in SI units; the fit stays strictly inside.
  std::optional<double> lower = std::nullopt;
  std::optional<double> upper = std::nullopt;
  bool given = false;     // held at `center`
  bool required = false;  // the fit is refused if the data leave it to the prior
};

// 1 / (1 + exp(-u)); neither it nor its derivative overflows, however far out a solver steps.
template <typename T>
T logistic(const T& u) {
  using std::exp;
  if (u < 0.0) {
    const T small = exp(u);
    return small / (1.0 + small);
  }
  return 1.0 / (1.0 + exp(-u));
}

// The solver's free variable u becomes the coordinate: itself, or squeezed between the limits by a
// logistic curve, so that no bound is ever active and derivatives always exist.
template <typename T>
T coordinate_of(const FitParameter& parameter, const T& u) {
  if (!parameter.lower) return u;
  const double low = to_coordinate(parameter.scale, *parameter.lower);
  const double high = to_coordinate(parameter.scale, *parameter.upper);
  return low + (high - low) * logistic(u);
}

// The coordinate becomes the value in SI units (to_coordinate's inverse, for any scalar).
template <typename T>
T value_of(const FitParameter& parameter, const T& coordinate) {
  using std::exp;
  if (parameter.scale == ParameterScale::kLog) return exp(coordinate);
  if (parameter.scale == ParameterScale::kLogit) return logistic(coordinate);
  return coordinate;
}

// The free variable at which the coordinate is `coordinate`; kept a little inside the limits.
inline double variable_of(const FitParameter& parameter, double coordinate) {
  if (!parameter.lower) return coordinate;
  constexpr double kInside = 1e-3;
  const double low = to_coordinate(parameter.scale, *parameter.lower);
  const double high = to_coordinate(parameter.scale, *parameter.upper);
  const double share =
      std::fmin(1 - kInside, std::fmax(kInside, (coordinate - low) / (high - low)));
  return std::log(share / (1 - share));
}

}  // namespace paceline
