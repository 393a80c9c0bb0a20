#include "traces/export/chrome_trace.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <sstream>

#include "core/json_writer.h"

namespace paceline {
namespace {

std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::int64_t nanoseconds(SimTime time) {
  const std::int64_t ps = time.picoseconds();
  return ps / 1000 - (ps % 1000 < 0 ? 1 : 0);
}

// Microseconds with three decimals, exactly.
std::string microseconds(std::int64_t ns) {
  const std::string sign = ns < 0 ? "-" : "";
  const std::string digits = std::to_string(std::abs(ns));
  const std::string padded = std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
  return sign + padded.substr(0, padded.size() - 3) + "." + padded.substr(padded.size() - 3);
}

struct Place {
  std::size_t process = 0;
  std::size_t thread = 0;
};

// Processes and threads of the viewer: groups and lanes of tracks.
class Writer {
 public:
  Writer(const Timeline& timeline, std::ostream& out, const ChromeTraceOptions& options)
      : timeline_(timeline), out_(out), options_(options), lanes_(timeline.tracks()) {
    for (std::size_t t = 0; t < timeline.tracks(); ++t) {
      const std::string& name = timeline.track_name(static_cast<TrackId>(t));
      process_of_track_.push_back(
          processes_.try_emplace(group_of(name), processes_.size() + 1).first->second);
    }
  }

  std::size_t write() {
    choose_spans();
    const std::size_t left_out = timeline_.size() - order_.size();
    out_ << "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"spans_left_out\":\"" << left_out
         << "\"},\"traceEvents\":[";
    for (const std::size_t i : order_) write_span(i);
    if (options_.arrows) {
      for (const std::size_t i : order_) write_arrow(i);
    }
    write_counters();
    write_names();
    out_ << "\n]}\n";
    return left_out;
  }

 private:
  static std::string group_of(const std::string& name) { return name.substr(0, name.find('/')); }
  static std::string rest_of(const std::string& name) {
    const std::size_t slash = name.find('/');
    return slash == std::string::npos ? name : name.substr(slash + 1);
  }

  // In order of start; of equal starts the longer first.
  void choose_spans() {
    const Timeline::Columns& spans = timeline_.columns();
    order_.resize(timeline_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return spans.start[a] != spans.start[b] ? spans.start[a] < spans.start[b]
                                              : spans.end[a] > spans.end[b];
    });
    if (order_.size() > options_.most_spans) order_.resize(options_.most_spans);
    places_.resize(timeline_.size());
    written_.resize(timeline_.size());
  }

  void begin_event() {
    out_ << (is_first_ ? "\n" : ",\n");
    is_first_ = false;
  }

  // The first lane of the track that is free from `start` on.
  Place place(TrackId track, std::int64_t start, std::int64_t end) {
    std::vector<Lane>& lanes = lanes_[static_cast<std::size_t>(track)];
    auto lane = std::find_if(lanes.begin(), lanes.end(),
                             [&](const Lane& other) { return other.free_from <= start; });
    if (lane == lanes.end()) lane = lanes.insert(lanes.end(), {threads_++, start});
    lane->free_from = end;
    return {process_of_track_[static_cast<std::size_t>(track)], lane->thread};
  }

  void write_span(std::size_t index) {
    const Span span = timeline_.at(index);
    const std::int64_t start = nanoseconds(span.start);
    const std::int64_t end = nanoseconds(span.end);
    const Place at = place(span.track, start, end);
    places_[index] = at;
    written_[index] = true;
    const std::string& name = timeline_.name(span.label.name);
    begin_event();
    // What is shorter than the resolution becomes a mark, which is no slice and overlaps nothing.
    out_ << (end > start ? "{\"ph\":\"X\"" : "{\"ph\":\"i\",\"s\":\"t\"")
         << ",\"pid\":" << at.process << ",\"tid\":" << at.thread
         << ",\"ts\":" << microseconds(start);
    if (end > start) out_ << ",\"dur\":" << microseconds(end - start);
    out_ << ",\"name\":" << quoted(name.empty() ? to_text(span.label.kind) : name)
         << ",\"cat\":" << quoted(to_text(span.label.kind)) << ",\"args\":{";
    out_ << "\"start_ps\":" << span.start.picoseconds()
         << ",\"duration_ps\":" << span.duration().picoseconds();
    if (span.label.rank >= 0) out_ << ",\"rank\":" << span.label.rank;
    if (span.label.layer >= 0) write_layer(static_cast<std::size_t>(span.label.layer));
    out_ << ",\"iteration\":" << span.label.iteration << "}}";
  }

  void write_layer(std::size_t layer) {
    out_ << ",\"layer\":" << layer;
    if (layer < options_.layers.size()) {
      out_ << ",\"layer_name\":" << quoted(options_.layers[layer]);
    }
  }

  bool is_slice(std::size_t index) const {
    const Span span = timeline_.at(index);
    return written_[index] && nanoseconds(span.end) > nanoseconds(span.start);
  }

  void write_arrow(std::size_t index) {
    if (!is_slice(index)) return;
    // Joins and other marks have no slice to point from: go back to what they waited for.
    SpanId cause = timeline_.at(index).cause;
    std::size_t steps = 0;
    while (cause != kNoSpan && !is_slice(static_cast<std::size_t>(cause)) &&
           steps++ < timeline_.size()) {
      cause = timeline_[cause].cause;
    }
    if (cause == kNoSpan || !is_slice(static_cast<std::size_t>(cause))) return;
    const Span from = timeline_[cause];
    const Span to = timeline_.at(index);
    if (from.track == to.track) return;
    const Place& source = places_[static_cast<std::size_t>(cause)];
    write_flow_end("s", source, from.start, index, "");
    write_flow_end("f", places_[index], to.start, index, ",\"bp\":\"e\"");
  }

  void write_flow_end(std::string_view phase, const Place& at, SimTime when, std::size_t id,
                      std::string_view more) {
    begin_event();
    out_ << "{\"ph\":\"" << phase << "\",\"pid\":" << at.process << ",\"tid\":" << at.thread
         << ",\"ts\":" << microseconds(nanoseconds(when)) << ",\"id\":" << id
         << ",\"name\":\"lets start\",\"cat\":\"cause\"" << more << "}";
  }

  void write_counters() {
    for (const Counter& counter : timeline_.counters()) {
      const std::size_t process =
          processes_.try_emplace(group_of(counter.name), processes_.size() + 1).first->second;
      const std::string name =
          rest_of(counter.name) + (counter.unit.empty() ? "" : " (" + counter.unit + ")");
      for (const Counter::Point& point : counter.points) {
        begin_event();
        out_ << "{\"ph\":\"C\",\"pid\":" << process
             << ",\"ts\":" << microseconds(nanoseconds(point.time)) << ",\"name\":" << quoted(name)
             << ",\"args\":{\"value\":" << nlohmann::json(point.value).dump() << "}}";
      }
    }
  }

  void write_names() {
    for (const auto& [group, process] : processes_) {
      write_name("process", process, 0, group, process);
    }
    for (std::size_t t = 0; t < lanes_.size(); ++t) {
      const std::string name = rest_of(timeline_.track_name(static_cast<TrackId>(t)));
      for (const Lane& lane : lanes_[t]) {
        write_name("thread", process_of_track_[t], lane.thread, name, t);
      }
    }
  }

  void write_name(std::string_view what, std::size_t process, std::size_t thread,
                  const std::string& name, std::size_t sort_index) {
    const std::string head = "{\"ph\":\"M\",\"pid\":" + std::to_string(process) +
                             ",\"tid\":" + std::to_string(thread) + ",\"name\":\"" +
                             std::string(what);
    begin_event();
    out_ << head << "_name\",\"args\":{\"name\":" << quoted(name) << "}}";
    begin_event();
    out_ << head << "_sort_index\",\"args\":{\"sort_index\":" << sort_index << "}}";
  }

  struct Lane {
    std::size_t thread;
    std::int64_t free_from;
  };

  const Timeline& timeline_;
  std::ostream& out_;
  const ChromeTraceOptions& options_;
  bool is_first_ = true;
  std::size_t threads_ = 1;
  std::map<std::string, std::size_t> processes_;
  std::vector<std::size_t> process_of_track_;
  std::vector<std::vector<Lane>> lanes_;  // by track
  std::vector<std::size_t> order_;
  std::vector<Place> places_;  // by span
  std::vector<bool> written_;  // by span
};

}  // namespace

std::size_t write_chrome_trace(const Timeline& timeline, std::ostream& out,
                               const ChromeTraceOptions& options) {
  return Writer(timeline, out, options).write();
}

std::size_t write_chrome_trace(const Timeline& timeline, const std::filesystem::path& file,
                               const ChromeTraceOptions& options) {
  std::ostringstream text;
  const std::size_t left_out = write_chrome_trace(timeline, text, options);
  write_text_file(file, text.str());
  return left_out;
}

}  // namespace paceline
