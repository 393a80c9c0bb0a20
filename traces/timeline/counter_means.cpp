#include "traces/timeline/counter_means.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace paceline {
namespace {

std::string_view group_of(std::string_view name) { return name.substr(0, name.find('/')); }

struct Interval {
  SimTime from, to;
};

std::map<std::string_view, Interval> work_by_group(const Timeline& timeline) {
  std::map<std::string_view, Interval> out;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const Span span = timeline.at(i);
    const auto [found, is_new] =
        out.try_emplace(group_of(timeline.track_name(span.track)), Interval{span.start, span.end});
    found->second.from = std::min(found->second.from, span.start);
    found->second.to = std::max(found->second.to, span.end);
  }
  return out;
}

std::optional<double> mean_over(const std::vector<Counter::Point>& points, const Interval& work) {
  double sum = 0, length = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SimTime begin = std::max(points[i].time, work.from);
    const SimTime end = i + 1 < points.size() ? std::min(points[i + 1].time, work.to) : work.to;
    if (end <= begin) continue;
    const double held = (end - begin).seconds().si();
    sum += points[i].value * held;
    length += held;
  }
  return length > 0 ? std::optional(sum / length) : std::nullopt;
}

}  // namespace

std::vector<CounterMean> counter_means(const Timeline& timeline) {
  std::vector<CounterMean> out;
  if (timeline.counters().empty()) return out;
  const auto work = work_by_group(timeline);
  for (const Counter& counter : timeline.counters()) {
    const auto found = work.find(group_of(counter.name));
    if (found == work.end()) continue;
    const std::optional<double> mean = mean_over(counter.points, found->second);
    if (mean) out.push_back({counter.name, counter.unit, *mean});
  }
  return out;
}

}  // namespace paceline
