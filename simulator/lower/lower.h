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

// Eager execution on a CPU: the thread that dispatches also computes, so host work and kernels are
// tasks of one serial resource in issue order; the other threads of the device work inside the
// kernels and are part of their cost. Repetitions of one call are one task.
LoweredRun lower_cpu(const IterationPlan& plan, int iterations);

// Simulated time of the last of `iterations`, when the run is in its steady state.
SimTime simulate_cpu_iteration(const IterationPlan& plan, int iterations = 2);

}  // namespace paceline
