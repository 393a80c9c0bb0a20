// Chrome trace JSON of a timeline, for https://ui.perfetto.dev and chrome://tracing.
//
//   {"displayTimeUnit":"ms","traceEvents":[
//   {"ph":"M","pid":1,"name":"process_name","args":{"name":"gpu0"}},
//   {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"compute"}},
//   {"ph":"X","pid":1,"tid":1,"ts":0.000,"dur":2.500,"name":"conv1","cat":"forward","args":{...}},
//
// One process per group of tracks ("gpu0" of "gpu0/compute"), one thread per track. Slices of one
// thread must nest in that format, so spans that overlap on a track (a link that several transfers
// share) go to further threads of the same name. Times are whole nanoseconds, the resolution of the
// viewers, rounded so that touching spans still touch; exact picoseconds are in the arguments.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "traces/timeline/timeline.h"

namespace paceline {

struct ChromeTraceOptions {
  // Viewers become slow beyond about a million events: the earliest spans are kept.
  std::size_t most_spans = 1'000'000;
  // An arrow from each span's cause, where that lies on another track.
  bool arrows = true;
  // Names of the layers that labels count, so that a reader can match them; may be empty.
  std::vector<std::string> layers{};
};

// Returns the number of spans left out; the file says so as well ("spans_left_out").
std::size_t write_chrome_trace(const Timeline& timeline, std::ostream& out,
                               const ChromeTraceOptions& options = {});
// Throws InputError if the file cannot be written.
std::size_t write_chrome_trace(const Timeline& timeline, const std::filesystem::path& file,
                               const ChromeTraceOptions& options = {});

}  // namespace paceline
