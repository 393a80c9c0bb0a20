// Which iteration, layer and phase each host event of one process belongs to (trace_assembly.h
// says by which rules).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/import/trace_events.h"
#include "traces/timeline/measured_timeline.h"

namespace paceline {

struct TracePlace {
  std::int32_t layer = -1;
  std::int16_t iteration = 0;
  SpanKind phase = SpanKind::kOther;
};

class TraceStructure {
 public:
  explicit TraceStructure(const TraceEvents& trace);

  // Of a host event, by its index.
  const TracePlace& place(std::size_t event) const { return places_[event]; }
  std::int16_t iteration_at(std::int64_t time_ns) const;

  const std::vector<MeasuredLayer>& layers() const { return layers_; }
  std::vector<double> iterations_s() const;
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Interval {
    std::int64_t start_ns, end_ns;
  };
  enum class Direction { kForward, kBackward };

  const std::string& name(std::size_t event) const {
    return trace_.names.text(trace_.events[event].name);
  }
  std::int64_t end_of(std::size_t event) const;
  void find_iterations();
  void leave_out_last_iteration();
  void find_optimizer_ranges();
  void place_by_time();
  std::vector<std::vector<std::size_t>> host_events() const;
  std::size_t forward_operators(const std::vector<std::size_t>& lane) const;
  void walk_threads();
  void walk_thread(const std::vector<std::size_t>& order, Direction direction);
  // `open` encloses the event, outermost first.
  void place_event(std::size_t event, const std::vector<std::size_t>& open, Direction direction);
  void start_layer(std::size_t event, const std::vector<std::size_t>& open);
  void start_backward(std::size_t event);

  const TraceEvents& trace_;
  std::vector<TracePlace> places_;
  std::vector<Interval> iterations_, optimizer_;
  bool first_is_whole_ = true, is_cut_ = false;  // cut: the only iteration may lack its end
  std::int64_t tolerance_ns_ = 0;
  std::uint32_t main_lane_ = 0;
  std::vector<MeasuredLayer> layers_;
  std::vector<std::string> warnings_;
  std::unordered_map<std::string, std::int32_t> layer_ids_;     // by "name#occurrence"
  std::unordered_map<std::string, int> occurrences_;            // in the iteration at hand
  std::unordered_map<std::int64_t, std::int32_t> by_sequence_;  // the layer that made the node
  std::int16_t current_iteration_ = -1;
  std::int32_t backward_layer_ = -1;
};

}  // namespace paceline
