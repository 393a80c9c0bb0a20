#include "simulator/task/task_graph_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/error.h"

namespace paceline {
namespace {

constexpr TaskId kNone{0xffffffff};
// Bit 31 of a task id is free for the engine's use.
constexpr std::size_t kMostTasksOfAGraph = 0x7fffffff;

TaskGraph::Record record_of(const Task& task) {
  const bool has_route = task.route != kNoRoute;
  PACELINE_ASSERT(has_route == (task.work != WorkKind::kFixed),
                  "a fixed task has no route, every other has one");
  PACELINE_ASSERT(task.duration >= SimTime(), "a duration is not negative");
  PACELINE_ASSERT(std::isfinite(task.bytes.si()) && task.bytes.si() >= 0,
                  "bytes are finite and not negative");
  const bool is_transfer = task.work == WorkKind::kTransfer;
  PACELINE_ASSERT(is_transfer ? task.duration == SimTime() : task.bytes.si() == 0,
                  "a task has either a duration or bytes");
  TaskGraph::Record record;
  record.amount =
      is_transfer ? std::bit_cast<std::int64_t>(task.bytes.si()) : task.duration.picoseconds();
  record.resource = task.resource;
  record.route = task.route;
  record.priority = task.priority;
  record.work = task.work;
  return record;
}

// By task, then semaphore; one entry for each pair.
void sort_and_merge(std::vector<TaskGraph::SemaphoreUse>& uses) {
  std::sort(uses.begin(), uses.end(),
            [](const TaskGraph::SemaphoreUse& a, const TaskGraph::SemaphoreUse& b) {
              return std::tie(a.task, a.semaphore) < std::tie(b.task, b.semaphore);
            });
  std::vector<TaskGraph::SemaphoreUse> merged;
  for (const TaskGraph::SemaphoreUse& use : uses) {
    if (!merged.empty() && merged.back().task == use.task &&
        merged.back().semaphore == use.semaphore) {
      merged.back().tokens += use.tokens;
    } else {
      merged.push_back(use);
    }
  }
  uses = std::move(merged);
}

}  // namespace

void TaskGraphBuilder::reserve(std::size_t tasks, std::size_t edges) {
  graph_.records_.reserve(tasks + 1);
  graph_.labels_.reserve(tasks);
  graph_.in_degree_.reserve(tasks);
  predecessors_.reserve(edges);
}

TaskId TaskGraphBuilder::add(const Task& task, std::span<const TaskId> after) {
  const auto id = static_cast<TaskId>(size());
  for (const TaskId before : after) {
    PACELINE_ASSERT(before < id, "a task depends on tasks that were added before it");
  }
  graph_.records_.push_back(record_of(task));
  graph_.labels_.push_back(task.label);
  graph_.in_degree_.push_back(static_cast<std::uint32_t>(after.size()));
  predecessors_.insert(predecessors_.end(), after.begin(), after.end());
  return id;
}

TaskId TaskGraphBuilder::add_in_order(const Task& task, std::span<const TaskId> after) {
  PACELINE_ASSERT(task.resource != kNoResource, "a task in order has a resource");
  const auto resource = static_cast<std::size_t>(task.resource);
  if (last_in_order_.size() <= resource) last_in_order_.resize(resource + 1, kNone);
  const TaskId last = last_in_order_[resource];
  const TaskId id = add(task, after);
  if (last != kNone && std::find(after.begin(), after.end(), last) == after.end()) {
    predecessors_.push_back(last);
    graph_.in_degree_.back() += 1;
  }
  last_in_order_[resource] = id;
  return id;
}

TaskId TaskGraphBuilder::join(std::span<const TaskId> after, Label label) {
  return add(fixed_task(SimTime(), kNoResource, label), after);
}

void TaskGraphBuilder::use(std::vector<TaskGraph::SemaphoreUse>& uses, TaskId task,
                           SemaphoreId semaphore, std::int32_t tokens) {
  PACELINE_ASSERT(static_cast<std::size_t>(task) < size(), "a semaphore is used by an added task");
  PACELINE_ASSERT(tokens > 0, "a task takes or gives at least one token");
  uses.push_back({task, semaphore, tokens});
  graph_.records_[static_cast<std::size_t>(task)].uses_semaphores = true;
}

void TaskGraphBuilder::acquire(TaskId task, SemaphoreId semaphore, std::int32_t tokens) {
  use(graph_.acquires_, task, semaphore, tokens);
}

void TaskGraphBuilder::release(TaskId task, SemaphoreId semaphore, std::int32_t tokens) {
  use(graph_.releases_, task, semaphore, tokens);
}

TaskGraph TaskGraphBuilder::build() && {
  const std::size_t count = size();
  PACELINE_ASSERT(count < kMostTasksOfAGraph && predecessors_.size() < 0xffffffff,
                  "a graph has fewer than 2^31 tasks and 2^32 edges");
  auto& records = graph_.records_;
  records.emplace_back();
  for (const TaskId before : predecessors_) {
    records[static_cast<std::size_t>(before) + 1].first_successor += 1;
  }
  for (std::size_t i = 1; i <= count; ++i) {
    records[i].first_successor += records[i - 1].first_successor;
  }
  // Filling the rows moves each row's start to its end, that is, to the start of the next row.
  graph_.successors_.resize(predecessors_.size());
  std::size_t edge = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t k = 0; k < graph_.in_degree_[i]; ++k, ++edge) {
      auto& record = records[static_cast<std::size_t>(predecessors_[edge])];
      graph_.successors_[record.first_successor++] = static_cast<TaskId>(i);
    }
  }
  for (std::size_t i = count; i > 0; --i) {
    records[i].first_successor = records[i - 1].first_successor;
  }
  records[0].first_successor = 0;
  std::vector<TaskId>().swap(predecessors_);
  sort_and_merge(graph_.acquires_);
  sort_and_merge(graph_.releases_);
  return std::move(graph_);
}

}  // namespace paceline
