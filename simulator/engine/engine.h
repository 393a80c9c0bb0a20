// The discrete-event engine: runs a task graph on a platform. It knows tasks and resources only;
// labels pass through. A pure function: equal inputs give equal timelines, byte for byte, in any
// thread. docs/models/engine.md states the rules.
#pragma once

#include <span>
#include <vector>

#include "core/sim_time.h"
#include "simulator/engine/observer.h"
#include "simulator/engine/platform.h"
#include "simulator/task/task_graph.h"
#include "traces/timeline/timeline.h"

namespace paceline {

// When each task ran: the compact result, 20 bytes a task.
struct Schedule {
  std::vector<SimTime> start;
  std::vector<SimTime> end;
  // The task whose end let this one start, by dependency, resource or semaphore; kNoSpan if it
  // started at zero by itself. Following causes back from the last task gives the critical path.
  std::vector<SpanId> cause;
  SimTime makespan;
};

// Among tasks that could start at the same instant on the same resource, the one of higher priority
// goes first, then the one that was ready earlier, then the one added earlier. All that ends at an
// instant ends before anything starts at it.
// Throws Error (internal) if the graph names a resource the platform lacks, or if tasks wait for
// semaphore tokens that nobody gives back; the message names one of them.
Schedule schedule(const TaskGraph& graph, const Platform& platform,
                  std::span<Observer* const> observers = {});

// The same as a timeline: span i is task i, tracks are the platform's resources in order. A task
// lies on its queued resource; without one, on the first resource of its route; without either, on
// the last track, "(no resource)".
Timeline simulate(const TaskGraph& graph, const Platform& platform,
                  std::span<Observer* const> observers = {});

}  // namespace paceline
