#include "traces/timeline/steady_state.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/statistics.h"

namespace paceline {
namespace {

constexpr std::size_t kLongestCycle = 3;
constexpr std::size_t kRepeats = 3;
constexpr std::size_t kBatches = 5;

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Number of trailing durations that equal the one `cycle` earlier.
std::size_t repeats(std::span<const double> durations, std::size_t cycle, double tolerance) {
  std::size_t count = 0;
  for (std::size_t i = durations.size(); i > cycle; --i, ++count) {
    const double now = durations[i - 1];
    const double before = durations[i - 1 - cycle];
    if (std::abs(now - before) > tolerance * std::max(now, before)) break;
  }
  return count;
}

SteadyState unsettled(std::span<const double> durations) {
  SteadyState result;
  const std::size_t skip = durations.size() / 2;
  const std::span<const double> later = durations.subspan(skip);
  result.first = skip + 1;
  result.period = Seconds(sum(later) / static_cast<double>(later.size()));
  const std::size_t batch = later.size() / kBatches;
  if (batch == 0) return result;
  std::vector<double> means;
  for (std::size_t b = 0; b < kBatches; ++b) {
    means.push_back(sum(later.subspan(later.size() - (b + 1) * batch, batch)) /
                    static_cast<double>(batch));
  }
  result.uncertainty = result.period * relative_confidence_half_width(means, 0.95);
  return result;
}

}  // namespace

std::vector<SimTime> iteration_ends(const Timeline& timeline) {
  std::vector<SimTime> ends;
  std::vector<bool> seen;
  const Timeline::Columns& spans = timeline.columns();
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    if (spans.label[i].iteration < 0) continue;
    const auto iteration = static_cast<std::size_t>(spans.label[i].iteration);
    if (iteration >= ends.size()) {
      ends.resize(iteration + 1);
      seen.resize(iteration + 1);
    }
    ends[iteration] = std::max(ends[iteration], spans.end[i]);
    seen[iteration] = true;
  }
  for (std::size_t i = 0; i < ends.size(); ++i) {
    PACELINE_ASSERT(seen[i], "every iteration has a span");
    if (i > 0) ends[i] = std::max(ends[i], ends[i - 1]);
  }
  return ends;
}

SteadyState find_steady_state(std::span<const SimTime> ends, double tolerance) {
  PACELINE_ASSERT(ends.size() >= 2, "a steady state needs at least two iterations");
  std::vector<double> durations;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    durations.push_back((ends[i] - ends[i - 1]).seconds().si());
  }
  for (std::size_t cycle = 1; cycle <= kLongestCycle; ++cycle) {
    const std::size_t count = repeats(durations, cycle, tolerance);
    if (count < std::max(kRepeats, cycle)) continue;
    // The `cycle` durations before the first repeat belong to the settled part too.
    const std::size_t settled = count + cycle;
    const std::size_t whole = settled / cycle * cycle;
    SteadyState result;
    result.found = true;
    result.cycle = cycle;
    result.first = durations.size() - settled + 1;
    result.period = Seconds(sum(std::span(durations).last(whole)) / static_cast<double>(whole));
    return result;
  }
  return unsettled(durations);
}

}  // namespace paceline
