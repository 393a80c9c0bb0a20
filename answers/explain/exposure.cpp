#include "answers/explain/exposure.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/percent.h"
#include "core/units_text.h"
#include "traces/timeline/critical_path.h"

namespace paceline {
namespace {

bool is_message(SpanKind kind) {
  return kind == SpanKind::kCommunicate || kind == SpanKind::kHostToDevice ||
         kind == SpanKind::kDeviceToHost;
}
bool is_kernel(SpanKind kind) {
  return kind == SpanKind::kForward || kind == SpanKind::kBackward || kind == SpanKind::kUpdate;
}

// The beginning or end of a span.
struct Edge {
  SimTime time;
  int change = 0;  // +1 begins, -1 ends
  bool kernel = false;
  TrackId track{};
};

std::vector<Edge> edges_of_last_iteration(const Timeline& timeline) {
  std::int16_t last = 0;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    last = std::max(last, timeline.at(i).label.iteration);
  }
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const Span span = timeline.at(i);
    const bool kernel = is_kernel(span.label.kind);
    if (span.label.iteration != last || span.start == span.end) continue;
    if (!kernel && !is_message(span.label.kind)) continue;
    edges.push_back({span.start, 1, kernel, span.track});
    edges.push_back({span.end, -1, kernel, span.track});
  }
  std::ranges::stable_sort(edges, {}, &Edge::time);
  return edges;
}

}  // namespace

std::vector<TrackExposure> exposed_communication(const Timeline& timeline) {
  std::map<TrackId, TrackExposure> tracks;
  std::map<TrackId, int> running;  // messages by track
  int kernels = 0;
  SimTime now;
  for (const Edge& edge : edges_of_last_iteration(timeline)) {
    const Seconds passed = (edge.time - now).seconds();
    if (passed > Seconds(0)) {
      for (const auto& [track, count] : running) {
        tracks[track].busy += passed;
        if (kernels == 0) tracks[track].exposed += passed / static_cast<double>(running.size());
      }
    }
    now = edge.time;
    if (edge.kernel) {
      kernels += edge.change;
      continue;
    }
    int& count = running[edge.track];
    count += edge.change;
    if (count == 0) running.erase(edge.track);
  }
  std::vector<TrackExposure> out;
  for (auto& [id, exposure] : tracks) {
    exposure.track = timeline.track_name(id);
    out.push_back(exposure);
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &TrackExposure::exposed);
  return out;
}

std::vector<PathPart> critical_path_parts(const Timeline& timeline) {
  const CriticalPath path = critical_path(timeline);
  std::map<std::string, Seconds> times;
  SimTime end;
  bool first = true;
  for (const SpanId id : path.spans) {
    const Span span = timeline[id];
    const SimTime start = first ? span.start : std::max(span.start, end);
    first = false;
    end = span.end;
    if (start < span.end) {
      times[std::string(to_text(span.label.kind)) + " on " + timeline.track_name(span.track)] +=
          (span.end - start).seconds();
    }
  }
  if (path.gaps > SimTime()) times["waiting, cause not known"] = path.gaps.seconds();
  std::vector<PathPart> out;
  for (const auto& [what, time] : times) {
    out.push_back({what, time, time / path.length().seconds()});
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &PathPart::time);
  return out;
}

std::string readable_track(const std::string& track) {
  constexpr std::string_view kRank = "rank";
  constexpr std::string_view kStream = "/communication";
  if (!track.starts_with(kRank) || !track.ends_with(kStream)) return track;
  const std::size_t digits = track.size() - kRank.size() - kStream.size();
  return "collectives of rank " + track.substr(kRank.size(), digits);
}

Table exposure_table(const std::vector<TrackExposure>& tracks, Seconds iteration) {
  Table table({"communication on", "busy", "exposed", "of iteration"});
  for (const TrackExposure& t : tracks) {
    table.add_row({readable_track(t.track), to_text(t.busy), to_text(t.exposed),
                   percent(t.exposed / iteration)});
  }
  return table;
}

Table path_table(const std::vector<PathPart>& parts, int iterations) {
  const std::string of =
      iterations == 1 ? "1 iteration" : std::to_string(iterations) + " iterations";
  Table table({"critical path of " + of, "time", "share"});
  for (const PathPart& part : parts) {
    table.add_row({part.what, to_text(part.time), percent(part.share)});
  }
  return table;
}

nlohmann::ordered_json to_json(const std::vector<TrackExposure>& tracks) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const TrackExposure& t : tracks) {
    out.push_back({{"track", t.track}, {"busy_s", t.busy.si()}, {"exposed_s", t.exposed.si()}});
  }
  return out;
}

nlohmann::ordered_json to_json(const std::vector<PathPart>& parts) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const PathPart& part : parts) {
    out.push_back({{"what", part.what}, {"time_s", part.time.si()}, {"share", part.share}});
  }
  return out;
}

}  // namespace paceline
