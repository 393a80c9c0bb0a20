// Finds out whether others used the processors during a measurement. Steal time is no help on
// cloud machines (it reads 0 while the machine is visibly slower), so the gate compares what all
// processors did with what this process did.
#pragma once

#include <functional>
#include <string_view>

#include "core/units.h"

namespace paceline {

struct CpuUse {
  Seconds wall;
  Seconds busy;  // all processors together, not idle
  Seconds own;   // user and system time of this process
};

// Injected into the harness, so that it is tested with numbers.
using CpuUseReader = std::function<CpuUse()>;
// From /proc/stat and getrusage(); resolution of `busy` is one tick (10 ms) per processor.
CpuUse cpu_use_now();

// Busy seconds from the first line of /proc/stat: everything but idle and iowait.
// Throws MeasurementError if the text is not such a line.
Seconds busy_seconds(std::string_view proc_stat, double ticks_per_second);

// Processors used by others between two readings; never negative. 0 if no time has passed.
double foreign_processors(const CpuUse& before, const CpuUse& after);

}  // namespace paceline
