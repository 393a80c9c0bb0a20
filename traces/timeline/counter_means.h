// What counters were on average while a device worked: the DRAM traffic of a training run, say.
#pragma once

#include <string>
#include <vector>

#include "traces/timeline/timeline.h"

namespace paceline {

struct CounterMean {
  std::string name;  // "gpu0/dram read"
  std::string unit;  // of Counter
  double mean = 0;
  bool operator==(const CounterMean&) const = default;
};

// Over the time from the first to the last span on a track of the counter's group ("gpu0"); idle
// time in between counts. A counter holds until its next point; time before its first one does not
// count. Without such spans, or with no point before the last of them ends, a counter has no mean
// and is left out.
std::vector<CounterMean> counter_means(const Timeline& timeline);

}  // namespace paceline
