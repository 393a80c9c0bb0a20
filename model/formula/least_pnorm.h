// What pnorm(a, b; p) (overlap.h) is at least, without powers. It is convex in the smaller time, so
// that its tangents where the smaller is equal to the larger, and half of it, are below it.
#pragma once

#include <algorithm>
#include <cmath>

namespace paceline::formula {

class LeastPnorm {
 public:
  explicit LeastPnorm(double p)
      : equal_(tangent(1.0, p, 1.0)), half_(tangent(0.5, p, std::exp2(-p))) {}
  double operator()(double a, double b) const {
    const double larger = std::max(a, b), smaller = std::min(a, b);
    return std::max({larger, equal_.of_larger * larger + equal_.of_smaller * smaller,
                     half_.of_larger * larger + half_.of_smaller * smaller});
  }

 private:
  struct Tangent {
    double of_larger = 0, of_smaller = 0;
  };
  // At a smaller time of `ratio` times the larger, whose power p is `power`.
  static Tangent tangent(double ratio, double p, double power) {
    const double value = std::exp(std::log1p(power) / p);
    return {value / (1 + power), value * power / ((1 + power) * ratio)};
  }
  Tangent equal_, half_;
};

}  // namespace paceline::formula
