// Closed form of an iteration on a device that computes what a host thread queues (a GPU under an
// eager framework), with one stream and nothing to contend with. Host thread H, stream D:
//
//   H_k = H_{k-1} + h_k               D_k = max(H_k + latency, D_{k-1}) + t_k
//   H_k = max(H_{k-1}, D_{k-1}) + h_k where a call waits for the device
//
// and the iteration ends when the host has waited for the last kernel. A device that is slower than
// its host is never idle after the first kernel: T = first dispatch + sum of t. One that is faster
// waits between kernels: T = sum of h + the last kernel, and the difference to the sum of t is the
// `host` part of the breakdown. The simulation of the same plan must give exactly this
// (docs/models/gpu-execution.md).
#pragma once

#include "core/sim_time.h"
#include "model/plan/iteration_plan.h"
#include "model/plan/report.h"

namespace paceline {

SimTime asynchronous_iteration_time(const IterationPlan& plan);

// Kernels by phase, and the rest, which is time that the device waits for the host.
Breakdown asynchronous_breakdown(const IterationPlan& plan);

// Times between the ends of the phases on the device. With many micro-batches, those after the
// second are split like the second.
PhaseTimes asynchronous_phases(const IterationPlan& plan);

// The iteration's time in seconds with kernel k taking `kernels[k]` seconds and all host work
// `host_factor` times as long.
double asynchronous_iteration_seconds(const IterationPlan& plan, const std::vector<double>& kernels,
                                      double host_factor);

}  // namespace paceline
