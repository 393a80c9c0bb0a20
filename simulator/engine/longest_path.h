// The longest chain of dependent tasks: a lower bound of the makespan, whatever resources there
// are.
#pragma once

#include "core/sim_time.h"
#include "simulator/engine/platform.h"
#include "simulator/task/task_graph.h"

namespace paceline {

// Duration of a task when nothing else runs: its duration, or latency + bytes / rate of its route.
SimTime uncontended_duration(const TaskGraph& graph, TaskId task, const Platform& platform);

// Largest sum of uncontended durations over the paths of the graph.
SimTime longest_path(const TaskGraph& graph, const Platform& platform);

}  // namespace paceline
