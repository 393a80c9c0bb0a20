// Counter events ("ph": "C") of traces in Chrome's format: quantities that a profiler samples while
// the job runs, such as the DRAM traffic of a device or the memory in use.
//
//   {"ph":"C","cat":"gpu_counter","name":"dram read
//   (B/s)","pid":0,"ts":12.5,"args":{"value":1.9e12}}
//
// Every argument is a counter of its own: "value" has the name of the event, others add theirs. A
// unit may follow the name in brackets. Programs write numbers as texts, leave arguments out, write
// what is no finite number and do not sort: what can be read is, the rest is counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traces/import/json_events.h"
#include "traces/timeline/timeline.h"

namespace paceline {

// One counter as its file has it.
struct TraceCounter {
  struct Point {
    std::int64_t time_ns = 0;
    double value = 0;
  };
  std::string process;   // "pid"; importers put the group of tracks here ("gpu0")
  std::string category;  // "gpu_counter"
  std::string name;      // "dram read"
  std::string unit;      // "B/s"; empty if the file does not say
  std::vector<Point> points;
};

class TraceCounterReader {
 public:
  void take(const JsonEvent& event);
  // In the order in which they first occurred; of each at least one point. Leaves the reader empty.
  std::vector<TraceCounter> finish();
  // Events or arguments that were left out: no time, no argument, no finite number.
  std::size_t unreadable() const { return unreadable_; }

 private:
  TraceCounter& counter_of(const JsonEvent& event, std::string_view argument);

  std::vector<TraceCounter> counters_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::string key_;
  std::size_t unreadable_ = 0;
};

// Adds `counter` to `timeline` as "<prefix><process>/<name>", sorted by time, on a clock that
// begins at `origin_ns`. A counter holds until its next point, so the last one before the origin
// becomes the value at the origin, and of several at one instant the last one counts. Returns how
// many points lie further ahead than a timeline reaches (106 days) and were left out.
std::size_t add_trace_counter(TraceCounter counter, const std::string& prefix,
                              std::int64_t origin_ns, Timeline& timeline);

}  // namespace paceline
