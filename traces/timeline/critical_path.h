// The chain of spans that decided how long a run took: from the span that ended last, back from
// each span to the one whose end let it start.
#pragma once

#include <array>
#include <vector>

#include "traces/timeline/timeline.h"

namespace paceline {

struct CriticalPath {
  std::vector<SpanId> spans;                  // in order of time
  std::array<SimTime, kSpanKinds> by_kind{};  // time on the path, by kind of span
  SimTime gaps;  // between a span and its cause; none in a simulation, unexplained in a recording

  SimTime of(SpanKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  // Duration from the start of the first span to the end of the last. In a simulation that is the
  // makespan.
  SimTime length() const;
};

// Empty for an empty timeline. Where spans overlap their cause (as recordings may), the overlap is
// counted once, for the later span.
CriticalPath critical_path(const Timeline& timeline);

}  // namespace paceline
