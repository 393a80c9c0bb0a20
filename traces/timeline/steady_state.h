// When a run has settled, and the iteration time it settled to. The first iterations of a run fill
// pipelines and prefetch queues; timers and double buffers may make the rest alternate.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "traces/timeline/timeline.h"

namespace paceline {

// End of each iteration 0, 1, ...: the latest end of its spans, never before the end of an earlier
// iteration. Throws Error (internal) if an iteration up to the last has no span.
std::vector<SimTime> iteration_ends(const Timeline& timeline);

struct SteadyState {
  bool found = false;
  std::size_t first = 0;  // first iteration of the settled part
  std::size_t cycle = 1;  // iterations after which durations repeat: 1, 2 or 3
  // Mean duration over whole cycles of the settled part; if none was found, over the later half.
  Seconds period;
  // Half width of the 95 % confidence interval of `period` by batch means; zero if found.
  Seconds uncertainty;
};

// Looks for the shortest cycle c <= 3 with which the durations repeat to `tolerance` (relative) up
// to the end, at least three times and over at least two cycles. `ends` holds at least two
// iterations, else throws Error (internal). The first iteration's duration is not known and not
// used.
SteadyState find_steady_state(std::span<const SimTime> ends, double tolerance = 1e-4);

}  // namespace paceline
