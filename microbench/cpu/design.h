// Small helpers for writing designs down.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "microbench/benchmark.h"
#include "microbench/harness/operand_sets.h"

namespace paceline {

// Axes from integers: axes_of({{"m", 192}, {"n", 48}}).
inline Axes axes_of(const std::vector<std::pair<std::string, std::int64_t>>& values) {
  Axes axes;
  for (const auto& [name, value] : values) axes.emplace(name, value);
  return axes;
}

inline void add_cold(std::vector<Axes>& design, Axes axes) {
  axes["cache"] = to_string(CacheState::kCold);
  design.push_back(std::move(axes));
}

inline void add_warm(std::vector<Axes>& design, Axes axes) {
  axes["cache"] = to_string(CacheState::kWarm);
  design.push_back(std::move(axes));
}

}  // namespace paceline
