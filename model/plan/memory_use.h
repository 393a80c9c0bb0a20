// Bytes on one device, by use (TBD, Zhu et al. 2018), how sure they are, and whether they fit.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/plan/origin_line.h"

namespace paceline {

// Where the capacity lies in the 90 % interval of the peak: above it; above the prediction by a
// standard deviation at least (five in six, of a normal one); above it by less; below the
// prediction; below all of it.
enum class MemoryFit { kCertain, kLikely, kPossible, kUnlikely, kImpossible };
// "certain", "likely", "possible", "unlikely", "impossible".
std::string_view to_string(MemoryFit fit);

// `peak` is the sum of the uses.
struct MemoryUse {
  std::int64_t weights = 0;
  std::int64_t weight_gradients = 0;
  std::int64_t optimizer_state = 0;
  std::int64_t feature_maps = 0;
  std::int64_t workspace = 0;
  std::int64_t communication = 0;
  std::int64_t input = 0;
  std::int64_t context = 0;
  std::int64_t slack = 0;
  std::int64_t capacity = 0;
  bool fully_equipped = false;  // `capacity` is the most that the device can have
  std::string context_source;   // where the size of the context is from; empty without one
  // How far below and above the peak its 5 % and 95 % quantiles are; not negative.
  std::int64_t below = 0;
  std::int64_t above = 0;
  std::vector<OriginLine> origins;

  std::int64_t peak() const {
    return weights + weight_gradients + optimizer_state + feature_maps + workspace + communication +
           input + context + slack;
  }
  std::int64_t p05() const { return peak() - below; }
  std::int64_t p95() const { return peak() + above; }
  // As predicted.
  bool fits() const { return peak() <= capacity; }
  MemoryFit fit() const;
  // What is left; negative: what is missing.
  std::int64_t margin() const { return capacity - peak(); }
};

nlohmann::ordered_json to_json(const MemoryUse& memory);

}  // namespace paceline
