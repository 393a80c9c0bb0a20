#include "simulator/task/task_graph.h"

#include <algorithm>
#include <bit>

namespace paceline {

Task TaskGraph::task(TaskId id) const {
  const Record& from = record(id);
  Task task;
  task.work = from.work;
  if (from.work == WorkKind::kTransfer) {
    task.bytes = Bytes(std::bit_cast<double>(from.amount));
  } else {
    task.duration = SimTime::from_picoseconds(from.amount);
  }
  task.route = from.route;
  task.resource = from.resource;
  task.priority = from.priority;
  task.label = label(id);
  return task;
}

TaskGraph TaskGraph::scaled(const std::function<double(TaskId)>& factor) const {
  TaskGraph result = *this;
  for (std::size_t i = 0; i < size(); ++i) {
    Record& record = result.records_[i];
    if (record.work == WorkKind::kTransfer) continue;
    const Seconds duration = SimTime::from_picoseconds(record.amount).seconds();
    const double by = factor(static_cast<TaskId>(i));
    record.amount = SimTime::from(duration * by).picoseconds();
  }
  return result;
}

std::span<const TaskGraph::SemaphoreUse> TaskGraph::uses_of(const std::vector<SemaphoreUse>& all,
                                                            TaskId id) {
  const auto [first, last] = std::equal_range(
      all.begin(), all.end(), SemaphoreUse{id, {}, 0},
      [](const SemaphoreUse& a, const SemaphoreUse& b) { return a.task < b.task; });
  return {first, last};
}

}  // namespace paceline
