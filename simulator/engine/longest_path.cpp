#include "simulator/engine/longest_path.h"

#include <algorithm>
#include <vector>

namespace paceline {

SimTime uncontended_duration(const TaskGraph& graph, TaskId id, const Platform& platform) {
  const Task task = graph.task(id);
  switch (task.work) {
    case WorkKind::kFixed:
      return task.duration;
    case WorkKind::kTransfer: {
      // Rounded as the engine does: the latency, then the rest.
      const SimTime latency = SimTime::from(platform.route(task.route).latency);
      const Seconds moving =
          platform.uncontended_time(task.route, task.bytes) - platform.route(task.route).latency;
      return latency + SimTime::from(moving);
    }
    case WorkKind::kStretchable: {
      double slowdown = 1;
      for (const RouteUse& use : platform.route(task.route).uses) {
        slowdown = std::max(slowdown, use.weight / platform.resource(use.resource).capacity);
      }
      return SimTime::from(task.duration.seconds() * slowdown);
    }
  }
  return SimTime();
}

SimTime longest_path(const TaskGraph& graph, const Platform& platform) {
  // Ids are in topological order.
  std::vector<SimTime> ready(graph.size());
  SimTime longest;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto task = static_cast<TaskId>(i);
    const SimTime end = ready[i] + uncontended_duration(graph, task, platform);
    longest = std::max(longest, end);
    for (const TaskId next : graph.successors(task)) {
      SimTime& other = ready[static_cast<std::size_t>(next)];
      other = std::max(other, end);
    }
  }
  return longest;
}

}  // namespace paceline
