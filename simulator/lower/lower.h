// From a plan to the tasks of the engine.
#pragma once

#include <vector>

#include "core/sim_time.h"
#include "model/plan/iteration_plan.h"
#include "simulator/engine/platform.h"
#include "simulator/task/task_graph.h"

namespace paceline {

// What there is to simulate: tasks, the resources they run on, and where each iteration ends.
struct LoweredRun {
  TaskGraph graph;
  Platform platform;
  std::vector<TaskId> iteration_ends;
};

// Serial dispatch (eager execution on a CPU): the thread that dispatches also computes, so host
// work and kernels are tasks of one resource "cpu" in issue order; the other threads of the device
// work inside the kernels and are part of their cost. Repetitions of one call are one task.
//
// Asynchronous dispatch (a GPU): host work runs on "host", kernels in issue order on "stream"; a
// kernel waits for the end of its dispatch and the launch latency, and the host waits for the
// stream at the end of every iteration and where a call says so.
//
// Throws UsageError if an asynchronous plan has too many calls for a timeline.
LoweredRun lower(const IterationPlan& plan, int iterations);

// Simulated time of the last of `iterations`, when the run is in its steady state. Plans too long
// to simulate call by call get their closed form, which is the same.
SimTime simulate_iteration(const IterationPlan& plan, int iterations = 2);

}  // namespace paceline
