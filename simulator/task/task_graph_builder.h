// TaskGraphBuilder: the only way to make a TaskGraph. Dependencies name tasks that were already
// added, so a cycle cannot be expressed.
#pragma once

#include <string_view>

#include "simulator/task/task_graph.h"

namespace paceline {

class TaskGraphBuilder {
 public:
  // Optional: room for this many tasks and edges.
  void reserve(std::size_t tasks, std::size_t edges);
  NameId name(std::string_view text) { return graph_.names_.intern(text); }

  // Adds `task` to run after all of `after`. Throws Error (internal) if one of them does not exist,
  // an amount is negative or not finite, or amount and route do not fit the kind of work.
  TaskId add(const Task& task, std::span<const TaskId> after);
  TaskId add(const Task& task, std::initializer_list<TaskId> after = {}) {
    return add(task, std::span<const TaskId>(after.begin(), after.size()));
  }
  // As add, and also after the latest task added this way on the same resource: a stream or a
  // thread executes in the order of issue, even when a later task is ready earlier.
  TaskId add_in_order(const Task& task, std::span<const TaskId> after);
  TaskId add_in_order(const Task& task, std::initializer_list<TaskId> after = {}) {
    return add_in_order(task, std::span<const TaskId>(after.begin(), after.size()));
  }
  // A task of no duration on no resource that ends when all of `after` have ended.
  TaskId join(std::span<const TaskId> after, Label label = {});

  // `task` starts only when `tokens` of `semaphore` are free, and takes them.
  void acquire(TaskId task, SemaphoreId semaphore, std::int32_t tokens = 1);
  // `task` gives `tokens` of `semaphore` back when it ends; it need not be the one that took them.
  void release(TaskId task, SemaphoreId semaphore, std::int32_t tokens = 1);

  std::size_t size() const { return graph_.labels_.size(); }
  TaskGraph build() &&;

 private:
  void use(std::vector<TaskGraph::SemaphoreUse>& uses, TaskId task, SemaphoreId semaphore,
           std::int32_t tokens);

  TaskGraph graph_;
  std::vector<TaskId> predecessors_;
  std::vector<TaskId> last_in_order_;  // by resource
};

}  // namespace paceline
