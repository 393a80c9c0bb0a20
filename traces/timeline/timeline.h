// Timeline: everything that happened in one run. The simulator returns one and every trace importer
// returns one, so views, exports, comparisons and validation are written once for both.
//
// Spans lie on tracks: a stream, a host thread, one direction of a link. A track's name may have
// the form "group/rest" ("gpu0/compute"); the group gathers tracks in viewers. Columns are stored
// apart: 40 bytes a span, and the simulator moves its results in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "traces/timeline/span.h"

namespace paceline {

// A quantity that changes at instants and holds in between, e.g. the load of a link.
struct Counter {
  struct Point {
    SimTime time;
    double value = 0;
    bool operator==(const Point&) const = default;
  };
  std::string name;
  std::string unit;  // "B/s", "" for a fraction
  std::vector<Point> points;
  bool operator==(const Counter&) const = default;
};

class Timeline {
 public:
  // The columns of all spans, of equal length.
  struct Columns {
    std::vector<SimTime> start;
    std::vector<SimTime> end;
    std::vector<TrackId> track;
    std::vector<Label> label;
    std::vector<SpanId> cause;
    bool operator==(const Columns&) const = default;
  };

  Timeline() = default;
  // Takes over complete columns. Throws Error (internal) if their lengths differ.
  Timeline(std::vector<std::string> tracks, NameTable names, Columns columns);

  TrackId add_track(std::string name);
  NameId add_name(std::string_view text) { return names_.intern(text); }
  // Throws Error (internal) if the span ends before it starts or its track does not exist.
  SpanId add(const Span& span);
  void add_counter(Counter counter) { counters_.push_back(std::move(counter)); }

  std::size_t size() const { return columns_.start.size(); }
  Span operator[](SpanId id) const { return at(static_cast<std::size_t>(id)); }
  Span at(std::size_t index) const;
  const Columns& columns() const { return columns_; }

  std::size_t tracks() const { return tracks_.size(); }
  const std::string& track_name(TrackId id) const {
    return tracks_.at(static_cast<std::size_t>(id));
  }
  const NameTable& names() const { return names_; }
  const std::string& name(NameId id) const { return names_.text(id); }
  std::span<const Counter> counters() const { return counters_; }

  // Earliest start and latest end; both zero for an empty timeline.
  SimTime first_start() const;
  SimTime last_end() const;
  // last_end() - first_start(): the duration of the run.
  SimTime makespan() const { return last_end() - first_start(); }

  bool operator==(const Timeline&) const = default;

 private:
  std::vector<std::string> tracks_;
  NameTable names_;
  Columns columns_;
  std::vector<Counter> counters_;
};

}  // namespace paceline
