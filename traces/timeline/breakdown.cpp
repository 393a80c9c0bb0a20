#include "traces/timeline/breakdown.h"

#include <algorithm>
#include <numeric>

namespace paceline {
namespace {

// A span begins or ends, in the class that decides where its time goes.
struct Edge {
  SimTime time;
  int change;
  std::size_t kind;
};

bool is_selected(const Label& label, const SpanFilter& filter) {
  return (!filter.rank || label.rank == *filter.rank) &&
         (!filter.iteration || label.iteration == *filter.iteration);
}

std::vector<Edge> edges_of(const Timeline& timeline, const SpanFilter& filter, SimTime begin,
                           SimTime end) {
  std::vector<Edge> edges;
  const Timeline::Columns& spans = timeline.columns();
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    if (!is_selected(spans.label[i], filter)) continue;
    const SimTime from = std::max(spans.start[i], begin);
    const SimTime to = std::min(spans.end[i], end);
    if (from >= to) continue;
    const auto kind = static_cast<std::size_t>(spans.label[i].kind);
    edges.push_back({from, +1, kind});
    edges.push_back({to, -1, kind});
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.time < b.time; });
  return edges;
}

// Total length of the union of intervals.
SimTime union_length(std::vector<std::pair<SimTime, SimTime>>& intervals) {
  std::sort(intervals.begin(), intervals.end());
  SimTime length;
  SimTime reached;
  for (const auto& [start, end] : intervals) {
    if (length == SimTime() || start > reached) reached = start;
    if (end > reached) {
      length += end - reached;
      reached = end;
    }
  }
  return length;
}

}  // namespace

SimTime TimeBreakdown::total() const {
  return std::accumulate(by_kind.begin(), by_kind.end(), idle);
}

std::span<const SpanKind> compute_first() {
  static constexpr std::array<SpanKind, kSpanKinds> kOrder = {
      SpanKind::kForward, SpanKind::kBackward,    SpanKind::kUpdate,       SpanKind::kReduce,
      SpanKind::kOther,   SpanKind::kCommunicate, SpanKind::kHostToDevice, SpanKind::kDeviceToHost,
      SpanKind::kHost,    SpanKind::kDecode,      SpanKind::kLoad,         SpanKind::kWait};
  return kOrder;
}

TimeBreakdown break_down(const Timeline& timeline, const SpanFilter& filter,
                         std::span<const SpanKind> precedence) {
  std::vector<std::size_t> order;
  for (const SpanKind kind : precedence) order.push_back(static_cast<std::size_t>(kind));
  for (std::size_t kind = 0; kind < kSpanKinds; ++kind) {
    if (std::find(order.begin(), order.end(), kind) == order.end()) order.push_back(kind);
  }
  const SimTime begin = filter.begin.value_or(timeline.first_start());
  const SimTime end = std::max(begin, filter.end.value_or(timeline.last_end()));
  TimeBreakdown result;
  std::array<int, kSpanKinds> running{};
  SimTime reached = begin;
  const auto attribute_until = [&](SimTime time) {
    const auto first = std::find_if(order.begin(), order.end(),
                                    [&](std::size_t kind) { return running[kind] > 0; });
    (first == order.end() ? result.idle : result.by_kind[*first]) += time - reached;
    reached = time;
  };
  for (const Edge& edge : edges_of(timeline, filter, begin, end)) {
    attribute_until(edge.time);
    running[edge.kind] += edge.change;
  }
  attribute_until(end);
  return result;
}

SimTime covered_time(const Timeline& timeline, SpanKind kind, const SpanFilter& filter) {
  const std::array<SpanKind, 1> only = {kind};
  return break_down(timeline, filter, only).of(kind);
}

std::vector<SimTime> busy_by_track(const Timeline& timeline) {
  std::vector<std::vector<std::pair<SimTime, SimTime>>> intervals(timeline.tracks());
  const Timeline::Columns& spans = timeline.columns();
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    intervals[static_cast<std::size_t>(spans.track[i])].emplace_back(spans.start[i], spans.end[i]);
  }
  std::vector<SimTime> busy;
  for (auto& track : intervals) busy.push_back(union_length(track));
  return busy;
}

}  // namespace paceline
