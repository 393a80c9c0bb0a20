// What a kernel formula returns, and how a formula declares its parameters.
#pragma once

#include <string_view>

namespace paceline::formula {

// All in seconds. `total` is the formula's answer; the parts say which resource bounds it and need
// not add up to it.
template <typename T>
struct TimeParts {
  T total;
  T fixed;    // calls, thread wake-up: independent of size
  T compute;  // arithmetic
  T memory;   // data movement
};

enum class Domain { kReal, kPositive, kFraction };

struct Declaration {
  std::string_view name;
  std::string_view unit;  // SI; "1" without dimension
  Domain domain = Domain::kPositive;
};

// The plain number inside a scalar, for decisions that have no derivative (how many threads).
inline double scalar_of(double x) { return x; }
template <typename T>
double scalar_of(const T& x) {
  return x.a;  // ceres::Jet
}

}  // namespace paceline::formula
