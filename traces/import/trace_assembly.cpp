#include "traces/import/trace_assembly.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "core/error.h"
#include "traces/import/trace_structure.h"

namespace paceline {
namespace {

// Adds the spans of one process to the timeline.
class Assembler {
 public:
  Assembler(TraceEvents& trace, int rank, bool several, std::int64_t origin_ns,
            MeasuredTimeline& out)
      : trace_(trace),
        rank_(rank),
        prefix_(several ? "rank" + std::to_string(rank) + " " : ""),
        origin_ns_(origin_ns),
        out_(out),
        structure_(trace) {
    for (const TraceLane& lane : trace.lanes) {
      const std::string group =
          lane.device < 0 ? std::string("cpu") : "gpu" + std::to_string(lane.device);
      tracks_.push_back(out.timeline.add_track(prefix_ + group + "/" + lane.name));
    }
  }

  void add() {
    std::vector<std::size_t> device_work;
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      const TraceEvent& event = trace_.events[i];
      if (is_device_work(event.kind)) {
        device_work.push_back(i);
      } else if (event.kind != TraceEventKind::kModule && !is_structural(event)) {
        add_host(i);
      }
    }
    for (const std::size_t i : device_work) add_device(i);
    add_counters();
    if (unlaunched_ > 0) {
      out_.warnings.push_back(std::to_string(unlaunched_) + " of " +
                              std::to_string(device_work.size()) +
                              " pieces of device work have no launch on record: layer and phase of "
                              "these are not known");
    }
  }

  const TraceStructure& structure() const { return structure_; }

 private:
  // Ranges that only mark iterations and phases.
  bool is_structural(const TraceEvent& event) const {
    return event.kind == TraceEventKind::kRange &&
           !trace_.names.text(event.name).starts_with("enumerate(DataLoader)");
  }

  SpanId add_span(const TraceEvent& event, const TracePlace& place, SpanKind kind, SpanId cause) {
    Span span;
    const std::int64_t start = event.start_ns - origin_ns_;
    span.start = SimTime::from_picoseconds(1000 * start);
    span.end =
        SimTime::from_picoseconds(1000 * (start + std::max<std::int64_t>(0, event.duration_ns)));
    span.track = tracks_[event.lane];
    span.label = {.name = out_.timeline.add_name(trace_.names.text(event.name)),
                  .rank = rank_,
                  .layer = place.layer,
                  .iteration = place.iteration,
                  .kind = kind};
    span.cause = cause;
    return out_.timeline.add(span);
  }

  void add_host(std::size_t index) {
    const TraceEvent& event = trace_.events[index];
    const TracePlace place = structure_.place(index);
    SpanKind kind = SpanKind::kHost;
    if (event.kind == TraceEventKind::kRange) kind = SpanKind::kLoad;
    // Without a device the operators themselves compute.
    if (event.kind == TraceEventKind::kOperator && trace_.devices.empty()) kind = place.phase;
    const SpanId span = add_span(event, place, kind, kNoSpan);
    if (event.kind == TraceEventKind::kRuntime && event.correlation >= 0) {
      launches_[event.correlation] = {span, place};
    }
  }

  void add_device(std::size_t index) {
    const TraceEvent& event = trace_.events[index];
    const auto launch = launches_.find(event.correlation);
    TracePlace place;
    SpanId cause = kNoSpan;
    if (event.correlation >= 0 && launch != launches_.end()) {
      place = launch->second.second;
      cause = launch->second.first;
    } else {
      place.iteration = structure_.iteration_at(event.start_ns);
      ++unlaunched_;
    }
    add_span(event, place, device_kind(event, place), cause);
  }

  void add_counters() {
    std::size_t left_out = 0;
    for (TraceCounter& counter : trace_.counters) {
      left_out += add_trace_counter(std::move(counter), prefix_, origin_ns_, out_.timeline);
    }
    if (left_out == 0) return;
    out_.warnings.push_back(std::to_string(left_out) +
                            " samples of counters lie more than 106 days after the first event and "
                            "are left out");
  }

  SpanKind device_kind(const TraceEvent& event, const TracePlace& place) const {
    const std::string& name = trace_.names.text(event.name);
    if (event.kind == TraceEventKind::kCopy) {
      if (name.find("HtoD") != std::string::npos) return SpanKind::kHostToDevice;
      if (name.find("DtoH") != std::string::npos) return SpanKind::kDeviceToHost;
    }
    if (name.find("nccl") != std::string::npos) return SpanKind::kCommunicate;
    return place.phase;
  }

  TraceEvents& trace_;
  int rank_;
  std::string prefix_;
  std::int64_t origin_ns_;
  MeasuredTimeline& out_;
  TraceStructure structure_;
  std::vector<TrackId> tracks_;
  std::unordered_map<std::int64_t, std::pair<SpanId, TracePlace>> launches_;
  std::size_t unlaunched_ = 0;
};

std::int64_t first_start(const std::vector<TraceEvents>& processes) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const TraceEvents& trace : processes) {
    for (const TraceEvent& event : trace.events) first = std::min(first, event.start_ns);
  }
  return first;
}

// A timeline's clock reaches 106 days; half of that is for the durations.
void refuse_far_apart(const std::vector<TraceEvents>& processes, std::int64_t origin_ns) {
  constexpr std::int64_t kMost = INT64_MAX / 2000;
  for (const TraceEvents& trace : processes) {
    for (const TraceEvent& event : trace.events) {
      const auto after =
          static_cast<std::uint64_t>(event.start_ns) - static_cast<std::uint64_t>(origin_ns);
      if (after <= kMost && event.duration_ns <= kMost) continue;
      throw InputError(trace.file + ": the event \"" + trace.names.text(event.name) +
                       "\" begins or lasts more than 53 days after the first one: more than a "
                       "timeline holds");
    }
  }
}

}  // namespace

MeasuredTimeline assemble_trace(std::vector<TraceEvents> processes) {
  std::size_t events = 0;
  for (const TraceEvents& trace : processes) events += trace.events.size();
  if (events == 0) {
    const std::string where = processes.empty() ? "" : processes.front().file + ": ";
    throw InputError(where + "the trace holds no operator, call or device work");
  }
  MeasuredTimeline out;
  const std::int64_t origin = first_start(processes);
  refuse_far_apart(processes, origin);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    TraceEvents& trace = processes[i];
    const int rank = trace.rank >= 0 ? trace.rank : static_cast<int>(i);
    Assembler assembler(trace, rank, processes.size() > 1, origin, out);
    assembler.add();
    for (std::string& warning : trace.warnings) out.warnings.push_back(std::move(warning));
    for (const std::string& warning : assembler.structure().warnings()) {
      out.warnings.push_back(warning);
    }
    if (i > 0) continue;
    out.layers = assembler.structure().layers();
    out.iterations_s = assembler.structure().iterations_s();
    out.devices = trace.devices;
  }
  return out;
}

}  // namespace paceline
