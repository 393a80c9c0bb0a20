// The simulated clock: an integer number of picoseconds, so that timelines are exact and equal on
// every machine. 2^63 ps is 106 days. `Seconds` is for costs, `SimTime` for the clock; the one
// conversion is where a cost becomes a task.
#pragma once

#include <compare>
#include <cstdint>

#include "core/units.h"

namespace paceline {

class SimTime {
 public:
  constexpr SimTime() = default;
  static constexpr SimTime from_picoseconds(std::int64_t ps) { return SimTime(ps); }
  // Rounds to the nearest picosecond. Throws Error (internal) if `cost` is negative or no number,
  // UsageError if it is longer than 53 days.
  static SimTime from(Seconds cost);

  constexpr std::int64_t picoseconds() const { return ps_; }
  constexpr Seconds seconds() const { return Seconds(static_cast<double>(ps_) * 1e-12); }

  constexpr auto operator<=>(const SimTime&) const = default;
  constexpr SimTime operator+(SimTime other) const { return SimTime(ps_ + other.ps_); }
  constexpr SimTime operator-(SimTime other) const { return SimTime(ps_ - other.ps_); }
  constexpr SimTime& operator+=(SimTime other) { return ps_ += other.ps_, *this; }

 private:
  constexpr explicit SimTime(std::int64_t ps) : ps_(ps) {}
  std::int64_t ps_ = 0;
};

}  // namespace paceline
