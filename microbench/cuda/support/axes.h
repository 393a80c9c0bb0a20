// Small helpers for writing designs down and for comparing results.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "microbench/gpu/gpu_under_test.h"

namespace paceline {

inline Axes integer_axes(const std::vector<std::pair<std::string, std::int64_t>>& values) {
  Axes axes;
  for (const auto& [name, value] : values) axes.emplace(name, value);
  return axes;
}

inline Axes with(Axes axes, const std::string& name, const std::string& value) {
  axes[name] = value;
  return axes;
}

// Throws MeasurementError unless |found - expected| <= tolerance (never so for a NaN).
inline void require_near(double found, double expected, double tolerance, const std::string& what) {
  if (std::abs(found - expected) <= tolerance) return;
  throw MeasurementError("wrong result: " + what + " is " + std::to_string(found) + ", expected " +
                         std::to_string(expected) + " within " + std::to_string(tolerance));
}

// How far the sum of `terms` products of random values may be off at this precision: rounding of
// operands and result, each product's error independent.
inline double sum_tolerance(std::int64_t terms, const std::string& precision) {
  const double each = precision == "fp32" ? 2e-5 : 2e-2;
  return each * std::sqrt(static_cast<double>(terms)) + each;
}

}  // namespace paceline
