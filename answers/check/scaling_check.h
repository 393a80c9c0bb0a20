// Measured rates at several numbers of devices against what scaling can be: units per device,
// factors counted twice, more than linear gains, the step from one machine to several, stragglers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "answers/check/finding.h"
#include "answers/check/measured_rate.h"
#include "core/units.h"
#include "model/hardware/link_catalog.h"

namespace paceline {

struct ScalingPoint {
  std::int64_t devices = 0;
  std::optional<std::int64_t> machines;
  MeasuredRate rate;
};

// What is known about the job besides its rates; needed for the bandwidth between machines.
struct ScalingJob {
  std::int64_t samples_per_device = 0;  // in one iteration; 0 if not known
  std::optional<std::int64_t> tokens_per_sample;
  Bytes gradient;
  const LinkSpec* network = nullptr;
  const LinkCatalog* links_known = nullptr;
};

// Points in any order; the one of fewest devices is what the others are held against. Throws
// InputError if there are fewer than two numbers of devices or the units differ.
std::vector<Finding> check_scaling(std::vector<ScalingPoint> points, const ScalingJob& job);

struct RankTime {
  std::int64_t rank = 0;
  double iteration_s = 0;
};
// Ranks that take more than a tenth longer than the median: all others wait for them.
std::vector<Finding> check_stragglers(const std::vector<RankTime>& ranks);

}  // namespace paceline
