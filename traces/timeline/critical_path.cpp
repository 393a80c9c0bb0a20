#include "traces/timeline/critical_path.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace paceline {

SimTime CriticalPath::length() const {
  return std::accumulate(by_kind.begin(), by_kind.end(), gaps);
}

CriticalPath critical_path(const Timeline& timeline) {
  CriticalPath path;
  if (timeline.size() == 0) return path;
  const Timeline::Columns& spans = timeline.columns();
  const auto last = std::max_element(spans.end.begin(), spans.end.end());
  auto at = static_cast<std::size_t>(last - spans.end.begin());
  SimTime reached = *last;  // everything from here on is accounted for
  while (true) {
    PACELINE_ASSERT(path.spans.size() < timeline.size(), "causes do not form a circle");
    path.spans.push_back(static_cast<SpanId>(at));
    const SimTime start = std::min(spans.start[at], reached);
    path.by_kind[static_cast<std::size_t>(spans.label[at].kind)] += reached - start;
    reached = start;
    if (spans.cause[at] == kNoSpan) break;
    at = static_cast<std::size_t>(spans.cause[at]);
    PACELINE_ASSERT(at < timeline.size(), "a cause lies in its timeline");
    if (spans.end[at] < reached) {
      path.gaps += reached - spans.end[at];
      reached = spans.end[at];
    }
  }
  std::reverse(path.spans.begin(), path.spans.end());
  return path;
}

}  // namespace paceline
