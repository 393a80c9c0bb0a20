#include "answers/html/timeline_bars.h"

#include <algorithm>
#include <map>

namespace paceline {
namespace {

constexpr double kFinest = 1e-3;  // of the window: about a pixel

struct OpenBar {
  TimelineBar bar;
  double longest = 0;
};

}  // namespace

TimelineBars timeline_bars(const Timeline& timeline) {
  TimelineBars out;
  if (timeline.size() == 0) return out;
  std::int16_t last = 0;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    last = std::max(last, timeline.at(i).label.iteration);
  }
  std::vector<Span> spans;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const Span span = timeline.at(i);
    if (span.label.iteration == last && span.duration() > SimTime()) spans.push_back(span);
  }
  if (spans.empty()) return out;
  std::ranges::stable_sort(spans, {}, &Span::start);
  const SimTime begin = spans.front().start;
  const SimTime end = std::ranges::max(spans, {}, &Span::end).end;
  const double finest = kFinest * (end - begin).seconds().si();
  std::map<std::uint32_t, std::size_t> tracks;
  for (const Span& span : spans) tracks.emplace(static_cast<std::uint32_t>(span.track), 0);
  for (auto& [id, index] : tracks) {
    index = out.tracks.size();
    out.tracks.push_back(timeline.track_name(TrackId{id}));
  }
  std::map<std::size_t, OpenBar> open;
  const auto close = [&](const OpenBar& done) {
    if (done.bar.end_s - done.bar.start_s >= finest) out.bars.push_back(done.bar);
  };
  for (const Span& span : spans) {
    const std::size_t track = tracks.at(static_cast<std::uint32_t>(span.track));
    const double from = (span.start - begin).seconds().si();
    const double to = (span.end - begin).seconds().si();
    const std::string kind(to_text(span.label.kind));
    const auto found = open.find(track);
    const bool joins = found != open.end() && found->second.bar.kind == kind &&
                       from - found->second.bar.end_s < finest;
    if (found != open.end() && !joins) close(found->second);
    if (!joins) {
      open[track] = {{track, from, to, kind, timeline.name(span.label.name)}, to - from};
      continue;
    }
    OpenBar& bar = found->second;
    bar.bar.end_s = std::max(bar.bar.end_s, to);
    if (to - from > bar.longest) {
      bar.longest = to - from;
      bar.bar.name = timeline.name(span.label.name);
    }
  }
  for (const auto& [track, bar] : open) close(bar);
  out.spans = spans.size();
  return out;
}

}  // namespace paceline
