#include "traces/timeline/timeline.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace paceline {

std::string_view to_text(SpanKind kind) {
  static constexpr std::array<std::string_view, kSpanKinds> kTexts = {
      "other",    "load",   "decode", "h2d",         "d2h",  "forward",
      "backward", "update", "reduce", "communicate", "host", "wait"};
  return kTexts.at(static_cast<std::size_t>(kind));
}

Timeline::Timeline(std::vector<std::string> tracks, NameTable names, Columns columns)
    : tracks_(std::move(tracks)), names_(std::move(names)), columns_(std::move(columns)) {
  const std::size_t count = columns_.start.size();
  PACELINE_ASSERT(columns_.end.size() == count && columns_.track.size() == count &&
                      columns_.label.size() == count && columns_.cause.size() == count,
                  "the columns of a timeline have equal length");
}

TrackId Timeline::add_track(std::string name) {
  tracks_.push_back(std::move(name));
  return static_cast<TrackId>(tracks_.size() - 1);
}

SpanId Timeline::add(const Span& span) {
  PACELINE_ASSERT(span.start <= span.end, "a span does not end before it starts");
  PACELINE_ASSERT(static_cast<std::size_t>(span.track) < tracks_.size(), "a span's track exists");
  columns_.start.push_back(span.start);
  columns_.end.push_back(span.end);
  columns_.track.push_back(span.track);
  columns_.label.push_back(span.label);
  columns_.cause.push_back(span.cause);
  return static_cast<SpanId>(size() - 1);
}

Span Timeline::at(std::size_t index) const {
  PACELINE_ASSERT(index < size(), "a span id lies in its timeline");
  return {columns_.start[index], columns_.end[index], columns_.track[index], columns_.label[index],
          columns_.cause[index]};
}

SimTime Timeline::first_start() const {
  const auto first = std::min_element(columns_.start.begin(), columns_.start.end());
  return first == columns_.start.end() ? SimTime() : *first;
}

SimTime Timeline::last_end() const {
  const auto last = std::max_element(columns_.end.begin(), columns_.end.end());
  return last == columns_.end.end() ? SimTime() : *last;
}

}  // namespace paceline
