#include "traces/import/trace_structure.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace paceline {
namespace {

constexpr std::string_view kBackwardNode = "autograd::engine::evaluate_function";

// "ProfilerStep#12", "iteration 3", "step 3".
bool marks_iteration(std::string_view name) {
  for (const std::string_view prefix : {"ProfilerStep#", "iteration ", "Iteration ", "step "}) {
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    const std::string_view rest = name.substr(prefix.size());
    return rest.find_first_not_of("0123456789") == std::string_view::npos;
  }
  return false;
}

bool marks_optimizer(std::string_view name) { return name.starts_with("Optimizer."); }

// Every profile of a microsecond's resolution has only whole ones.
std::int64_t resolution_ns(const std::vector<TraceEvent>& events) {
  for (const TraceEvent& event : events) {
    if (event.start_ns % 1000 != 0 || event.duration_ns % 1000 != 0) return 1;
  }
  return 1000;
}

template <typename Intervals>
void sort_by_start(Intervals& intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
}

// Index of the interval that holds `time`; -1 if none. Intervals are sorted and do not overlap.
template <typename Intervals>
std::int64_t index_of(const Intervals& intervals, std::int64_t time) {
  const auto after =
      std::upper_bound(intervals.begin(), intervals.end(), time,
                       [](std::int64_t t, const auto& interval) { return t < interval.start_ns; });
  if (after == intervals.begin() || time >= std::prev(after)->end_ns) return -1;
  return std::prev(after) - intervals.begin();
}

}  // namespace

TraceStructure::TraceStructure(const TraceEvents& trace)
    : trace_(trace), places_(trace.events.size()) {
  const std::int64_t resolution = resolution_ns(trace.events);
  tolerance_ns_ = resolution == 1 ? 0 : resolution;
  find_optimizer_ranges();
  find_iterations();
  if (trace.is_cut_off) leave_out_last_iteration();
  place_by_time();
  walk_threads();
  if (layers_.empty() && !trace.events.empty()) {
    warnings_.push_back(
        "the profile has no operators of a framework, so kernels belong to no layer");
  }
}

std::int64_t TraceStructure::end_of(std::size_t event) const {
  return trace_.events[event].start_ns +
         std::max<std::int64_t>(0, trace_.events[event].duration_ns);
}

void TraceStructure::find_optimizer_ranges() {
  for (std::size_t i = 0; i < trace_.events.size(); ++i) {
    if (trace_.events[i].kind == TraceEventKind::kRange && marks_optimizer(name(i))) {
      optimizer_.push_back({trace_.events[i].start_ns, end_of(i)});
    }
  }
  sort_by_start(optimizer_);
}

void TraceStructure::find_iterations() {
  for (std::size_t i = 0; i < trace_.events.size(); ++i) {
    if (trace_.events[i].kind == TraceEventKind::kRange && marks_iteration(name(i))) {
      iterations_.push_back({trace_.events[i].start_ns, end_of(i)});
    }
  }
  sort_by_start(iterations_);
  if (!iterations_.empty()) return;
  std::vector<std::int64_t> ends;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < trace_.events.size(); ++i) {
    first = std::min(first, trace_.events[i].start_ns);
    if (trace_.events[i].kind == TraceEventKind::kRange && name(i).starts_with("Optimizer.step")) {
      ends.push_back(end_of(i));
    }
  }
  std::sort(ends.begin(), ends.end());
  first_is_whole_ = false;
  for (const std::int64_t end : ends) {
    iterations_.push_back({first, end});
    first = end;
  }
  warnings_.push_back(
      ends.empty()
          ? "the profile marks no iterations (call profiler.step()): all of it counts as one"
          : "the profile marks no iterations: they end with each Optimizer.step");
}

// Work of the last iteration may be behind the cut. The only one is kept to be looked at, without
// a time.
void TraceStructure::leave_out_last_iteration() {
  if (iterations_.size() > 1) {
    iterations_.pop_back();
  } else {
    is_cut_ = true;
  }
}

void TraceStructure::place_by_time() {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    places_[i].iteration = iteration_at(trace_.events[i].start_ns);
  }
}

std::int16_t TraceStructure::iteration_at(std::int64_t time_ns) const {
  if (iterations_.empty()) return 0;
  constexpr std::int64_t kMost = std::numeric_limits<std::int16_t>::max();
  return static_cast<std::int16_t>(std::min(index_of(iterations_, time_ns), kMost));
}

// Events of host threads, by lane, in order of start; of equal starts the longer first.
std::vector<std::vector<std::size_t>> TraceStructure::host_events() const {
  std::vector<std::vector<std::size_t>> lanes(trace_.lanes.size());
  for (std::size_t i = 0; i < trace_.events.size(); ++i) {
    if (!is_device_work(trace_.events[i].kind)) lanes[trace_.events[i].lane].push_back(i);
  }
  for (std::vector<std::size_t>& lane : lanes) {
    std::sort(lane.begin(), lane.end(), [&](std::size_t a, std::size_t b) {
      const TraceEvent& left = trace_.events[a];
      const TraceEvent& right = trace_.events[b];
      if (left.start_ns != right.start_ns) return left.start_ns < right.start_ns;
      if (left.duration_ns != right.duration_ns) return left.duration_ns > right.duration_ns;
      return a < b;
    });
  }
  return lanes;
}

// Operators that are not part of the backward pass, which may have more of them on its thread.
std::size_t TraceStructure::forward_operators(const std::vector<std::size_t>& lane) const {
  std::size_t count = 0;
  std::int64_t backward_end = std::numeric_limits<std::int64_t>::min();
  for (const std::size_t i : lane) {
    if (trace_.events[i].kind != TraceEventKind::kOperator) continue;
    if (name(i).starts_with(kBackwardNode)) {
      backward_end = std::max(backward_end, end_of(i));
    } else if (trace_.events[i].start_ns >= backward_end) {
      ++count;
    }
  }
  return count;
}

void TraceStructure::walk_threads() {
  const std::vector<std::vector<std::size_t>> lanes = host_events();
  std::size_t most = 0;
  for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
    const std::size_t count = forward_operators(lanes[lane]);
    if (count > most) main_lane_ = lane;
    most = std::max(most, count);
  }
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    for (const std::vector<std::size_t>& lane : lanes) walk_thread(lane, direction);
  }
}

void TraceStructure::walk_thread(const std::vector<std::size_t>& order, Direction direction) {
  std::vector<std::size_t> open;
  for (const std::size_t i : order) {
    const std::int64_t start = trace_.events[i].start_ns;
    const auto encloses = [&](std::size_t outer) {
      const bool begins_inside = start < end_of(outer) || start == trace_.events[outer].start_ns;
      return begins_inside && end_of(i) <= end_of(outer) + tolerance_ns_;
    };
    while (!open.empty() && !encloses(open.back())) open.pop_back();
    place_event(i, open, direction);
    open.push_back(i);
  }
}

void TraceStructure::place_event(std::size_t event, const std::vector<std::size_t>& open,
                                 Direction direction) {
  std::size_t outermost = event;
  for (const std::size_t outer : open) {
    if (trace_.events[outer].kind != TraceEventKind::kOperator) continue;
    outermost = outer;
    break;
  }
  const bool backward = name(outermost).starts_with(kBackwardNode);
  if (backward != (direction == Direction::kBackward)) return;
  TracePlace& place = places_[event];
  if (index_of(optimizer_, trace_.events[event].start_ns) >= 0) {
    place.phase = SpanKind::kUpdate;
    return;
  }
  if (trace_.events[outermost].kind != TraceEventKind::kOperator) return;
  if (outermost == event) {
    backward ? start_backward(event) : start_layer(event, open);
  } else {
    place.layer = places_[outermost].layer;
    place.phase = places_[outermost].phase;
  }
  const std::int64_t sequence = trace_.events[event].sequence;
  if (!backward && sequence >= 0 && place.layer >= 0) by_sequence_[sequence] = place.layer;
}

void TraceStructure::start_layer(std::size_t event, const std::vector<std::size_t>& open) {
  TracePlace& place = places_[event];
  place.phase = SpanKind::kForward;
  if (trace_.events[event].lane != main_lane_ || place.iteration < 0) return;
  if (place.iteration != current_iteration_) occurrences_.clear();
  current_iteration_ = place.iteration;
  const int occurrence = occurrences_[name(event)]++;
  const std::string key = name(event) + "#" + std::to_string(occurrence);
  const auto [found, is_new] =
      layer_ids_.try_emplace(key, static_cast<std::int32_t>(layers_.size()));
  place.layer = found->second;
  if (!is_new) return;
  MeasuredLayer layer{.operation = name(event),
                      .module = "",
                      .shape = trace_.names.text(trace_.events[event].shape)};
  for (const std::size_t outer : open) {
    if (trace_.events[outer].kind == TraceEventKind::kModule) layer.module = name(outer);
  }
  layers_.push_back(std::move(layer));
}

// A node of the backward graph. Those without a number add up the gradients of the node before
// them.
void TraceStructure::start_backward(std::size_t event) {
  const auto found = by_sequence_.find(trace_.events[event].sequence);
  if (found != by_sequence_.end()) backward_layer_ = found->second;
  places_[event].layer = backward_layer_;
  places_[event].phase = SpanKind::kBackward;
}

std::vector<double> TraceStructure::iterations_s() const {
  std::vector<double> out;
  if (is_cut_) return out;
  for (std::size_t i = first_is_whole_ ? 0 : 1; i < iterations_.size(); ++i) {
    out.push_back(static_cast<double>(iterations_[i].end_ns - iterations_[i].start_ns) * 1e-9);
  }
  return out;
}

}  // namespace paceline
