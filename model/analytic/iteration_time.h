// Closed-form time of an iteration whose host and kernels share one thread of control, as eager
// execution on a CPU does: nothing overlaps and nothing waits, so
//
//   T = sum over calls of repeat * (host + kernel time),
//
// each term rounded to the clock's picosecond; and the entry points for plans of either dispatch.
// The simulation of the same plan must give exactly
// this (docs/models/pytorch-cpu.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/sim_time.h"
#include "model/plan/iteration_plan.h"
#include "model/plan/report.h"

namespace paceline {

SimTime serial_iteration_time(const IterationPlan& plan);

// The same, split by what the time is spent on and by phase.
Breakdown serial_breakdown(const IterationPlan& plan);
PhaseTimes serial_phases(const IterationPlan& plan);

// The closed form that fits the plan's dispatch: this one, or that of asynchronous.h.
SimTime iteration_time(const IterationPlan& plan);
Breakdown breakdown(const IterationPlan& plan);
PhaseTimes phase_times(const IterationPlan& plan);

// Times of `draws` iterations with uncertain parameters: each kernel time is multiplied by
// exp(shared_sd * (sqrt(c) z_device + sqrt(1 - c) z_family) + own_sd * z_shape + composition_sd *
// z), c the share of the error that families have in common, all host time by exp(host_sd *
// z_host), z standard normal from the 64-bit Mersenne Twister seeded with `seed`. Kernels are
// costed once.
std::vector<double> draw_iteration_times(const IterationPlan& plan, std::uint64_t seed, int draws);
// What z_family is common to.
const std::string& error_family(const PlannedKernel& planned);
// The iteration's time with kernel k taking `kernels[k]` seconds and all host work `host_factor`
// times as long.
double iteration_seconds(const IterationPlan& plan, const std::vector<double>& kernels,
                         double host_factor);

}  // namespace paceline
