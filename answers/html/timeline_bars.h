// A timeline as few enough bars to be drawn: neighbours of one kind become one.
#pragma once

#include <string>
#include <vector>

#include "traces/timeline/timeline.h"

namespace paceline {

struct TimelineBar {
  std::size_t track = 0;  // index into TimelineBars::tracks
  double start_s = 0;     // from the beginning of the window
  double end_s = 0;
  std::string kind;
  std::string name;  // of the longest span inside
};

struct TimelineBars {
  std::vector<std::string> tracks;  // those that hold a bar, in the order of the timeline
  std::vector<TimelineBar> bars;
  std::size_t spans = 0;  // that the bars stand for
};

// The last iteration of the timeline. Spans of one kind on one track that are apart by less than a
// thousandth of it are merged, and spans shorter than that which stay alone are left out.
TimelineBars timeline_bars(const Timeline& timeline);

}  // namespace paceline
