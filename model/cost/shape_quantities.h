// The sizes that say whether a kernel resembles those a fit has seen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/cost/cost_model.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

// "flops", "bytes", "threads" and the extents of the shape ("m", "channels", "row", ...).
std::map<std::string, double> shape_quantities(const Kernel& kernel,
                                               const ExecutionContext& context);

// What a fit has seen, made ready to be asked often.
class FitDomain {
 public:
  explicit FitDomain(const Fit& fit);
  // The first quantity, by name, in which the kernel lies outside, or "" if it lies inside. A
  // thread count strictly between those measured counts as outside: it is interpolated.
  std::string_view first_outside(const Kernel& kernel, const ExecutionContext& context) const;

 private:
  static constexpr std::size_t kMost = 24;
  std::array<std::pair<double, double>, kMost> range_{};
  std::uint32_t limited_ = 0;  // bit of each quantity that has a range
};

}  // namespace paceline
