// How fast a run went, as people write it down: "546.9 samples/s", "9600 tokens/s/gpu", "2.7 it/s",
// "0.22 s" (of one iteration).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace paceline {

enum class RateUnit { kSamples, kTokens, kIterations };
std::string_view to_string(RateUnit unit);  // "samples/s"

struct MeasuredRate {
  double per_second = 0;
  RateUnit unit = RateUnit::kSamples;
  bool per_device = false;  // written with "/gpu" or "/device"
};

// Throws UsageError naming `what`, the text and the allowed units, or that the rate is not within
// 1e-18 and 1e18 per second.
MeasuredRate parse_measured_rate(std::string_view what, std::string_view text);

// Samples per second of the whole job.
//
// An iteration is one update of all devices, so iterations/s need no factor for the number of
// devices. Throws UsageError if tokens are given of a workload that has none.
double samples_per_second(const MeasuredRate& rate, std::int64_t devices,
                          std::int64_t samples_per_iteration,
                          std::optional<std::int64_t> tokens_per_sample);

}  // namespace paceline
