// The parts of a report that say why: bottleneck, origins, warnings.
#pragma once

#include <functional>
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
// What kernels of each phase take, times what they take on one device by itself: of a job other
// than 1 (job_report_parts.h).
struct PhaseScale {
  double forward = 1;
  double backward = 1;
  double update = 1;

  double of(Phase phase) const;
};
// Calls `visit(call, times, scale)` for every call of the iteration.
using VisitCall = std::function<void(const PlannedCall&, std::int64_t, double)>;
void for_each_call(const IterationPlan& plan, const PhaseScale& scale, const VisitCall& visit);

// Largest first.
std::vector<ImplementationTime> time_by_implementation(const IterationPlan& plan,
                                                       const PhaseScale& scale = {});

// A rate of `amount` per iteration: the slow end of the time is the low end of the rate.
Estimate rate_of(double amount, const Estimate& time);

// What kernels are shares of, "the iteration": a job of several devices also waits.
std::string_view computing_of(const Experiment& experiment);
// `whole`: what the shares in the text are of.
Bottleneck find_bottleneck(const IterationPlan& plan, std::string_view whole,
                           const PhaseScale& scale = {});
// One line per implementation and kind of origin with its share of the time, largest first.
std::vector<OriginLine> collect_origins(const IterationPlan& plan, const PhaseScale& scale = {});
// Adds what an iteration also waits for, with its share; the other lines are then of what is left,
// so that a sum of 1 stays one.
void add_origin(std::vector<OriginLine>& origins, OriginLine waiting);
// Kernels outside what was measured that take a noteworthy part of the iteration.
std::vector<std::string> collect_warnings(const IterationPlan& plan, std::string_view whole,
                                          const PhaseScale& scale = {});

}  // namespace paceline
