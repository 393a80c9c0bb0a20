// Where the time of a run went. Each instant is counted once, so the parts add up to the whole.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "traces/timeline/timeline.h"

namespace paceline {

// Which spans to look at, and the window in which to look; everything unless narrowed.
struct SpanFilter {
  std::optional<std::int32_t> rank;
  std::optional<std::int32_t> iteration;
  // Defaults to first_start() .. last_end() of the whole timeline. Spans are cut at its borders.
  std::optional<SimTime> begin;
  std::optional<SimTime> end;
};

struct TimeBreakdown {
  std::array<SimTime, kSpanKinds> by_kind{};
  SimTime idle;  // nothing was running

  SimTime of(SpanKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  // The length of the window: the sum of all parts.
  SimTime total() const;
};

// Compute before copies before communication before waiting: what is left for communication is
// exposed, not hidden behind compute.
std::span<const SpanKind> compute_first();

// Attributes each instant to the kind, among those running, that comes first in `precedence`; kinds
// that are not listed come last, in the order of the enumeration. Spans of no length count nothing.
TimeBreakdown break_down(const Timeline& timeline, const SpanFilter& filter = {},
                         std::span<const SpanKind> precedence = compute_first());

// Time during which at least one span of `kind` ran.
SimTime covered_time(const Timeline& timeline, SpanKind kind, const SpanFilter& filter = {});
// The same for each track, over all kinds: busy time. Idle time is the makespan less this.
std::vector<SimTime> busy_by_track(const Timeline& timeline);

}  // namespace paceline
