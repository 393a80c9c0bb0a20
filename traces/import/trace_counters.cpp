#include "traces/import/trace_counters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.h"
#include "traces/import/trace_events.h"

namespace paceline {
namespace {

std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> time_of(const JsonEvent& event) {
  try {
    return parse_nanoseconds(event.timestamp, 1000);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// "dram read (B/s)" is "dram read" in B/s.
void split_unit(TraceCounter& counter) {
  const std::size_t bracket = counter.name.rfind(" (");
  if (bracket == std::string::npos || !counter.name.ends_with(')')) return;
  counter.unit = counter.name.substr(bracket + 2, counter.name.size() - bracket - 3);
  counter.name.resize(bracket);
}

}  // namespace

TraceCounter& TraceCounterReader::counter_of(const JsonEvent& event, std::string_view argument) {
  key_.assign(event.pid);
  for (const std::string_view part : {event.name, argument}) {
    key_ += '\n';
    key_ += part;
  }
  const auto [found, is_new] = index_.try_emplace(key_, counters_.size());
  if (!is_new) return counters_[found->second];
  TraceCounter counter;
  counter.process = event.pid;
  counter.category = event.category;
  counter.name = event.name;
  if (argument != "value" && argument != event.name) {
    counter.name += counter.name.empty() ? "" : " ";
    counter.name += argument;
  }
  split_unit(counter);
  return counters_.emplace_back(std::move(counter));
}

void TraceCounterReader::take(const JsonEvent& event) {
  const std::optional<std::int64_t> time = time_of(event);
  if (!time || event.arguments.empty()) {
    ++unreadable_;
    return;
  }
  for (const auto& [key, text] : event.arguments) {
    const std::optional<double> value = finite_number(event.argument(key));
    if (value) {
      counter_of(event, key).points.push_back({*time, *value});
    } else {
      ++unreadable_;
    }
  }
}

std::vector<TraceCounter> TraceCounterReader::finish() {
  index_.clear();
  return std::exchange(counters_, {});
}

std::size_t add_trace_counter(TraceCounter counter, const std::string& prefix,
                              std::int64_t origin_ns, Timeline& timeline) {
  std::stable_sort(counter.points.begin(), counter.points.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  Counter out{prefix + counter.process + "/" + counter.name, counter.unit, {}};
  std::size_t left_out = 0;
  for (const TraceCounter::Point& point : counter.points) {
    // Unsigned: what files claim may lie further apart than a signed difference can say.
    const std::uint64_t after_ns = static_cast<std::uint64_t>(std::max(point.time_ns, origin_ns)) -
                                   static_cast<std::uint64_t>(origin_ns);
    if (after_ns > INT64_MAX / 1000) {
      ++left_out;
      continue;
    }
    const auto time = SimTime::from_picoseconds(1000 * static_cast<std::int64_t>(after_ns));
    if (!out.points.empty() && out.points.back().time == time) out.points.pop_back();
    out.points.push_back({time, point.value});
  }
  if (!out.points.empty()) timeline.add_counter(std::move(out));
  return left_out;
}

}  // namespace paceline
