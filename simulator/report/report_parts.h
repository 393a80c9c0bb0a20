// The parts of a report that say why: bottleneck, origins, warnings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/plan/iteration_plan.h"
#include "model/plan/report.h"

namespace paceline {

// Time of one implementation over an iteration.
struct ImplementationTime {
  std::string implementation;  // "host" for the issuing thread
  Seconds time;
  Seconds compute_bound;  // of it, by what limits the kernels
  Seconds memory_bound;
  std::int64_t calls = 0;
};
// Largest first.
std::vector<ImplementationTime> time_by_implementation(const IterationPlan& plan);

// A rate of `amount` per iteration: the slow end of the time is the low end of the rate.
Estimate rate_of(double amount, const Estimate& time);

// `whole`: what the shares in the text are of, "the iteration".
Bottleneck find_bottleneck(const IterationPlan& plan, std::string_view whole);
// One line per implementation and kind of origin with its share of the time, largest first.
std::vector<OriginLine> collect_origins(const IterationPlan& plan);
// Kernels outside what was measured that take a noteworthy part of the iteration.
std::vector<std::string> collect_warnings(const IterationPlan& plan, std::string_view whole);

}  // namespace paceline
