// TaskGraph: the tasks of a run and what must precede what. Immutable, flat arrays; successors in
// compressed rows. Ids are the order of insertion and every edge goes from a smaller to a larger
// id, so id order is a topological order.
//
//   TaskGraphBuilder builder;
//   TaskId forward = builder.add(fixed_task(SimTime::from(Seconds(2e-3)), stream));
//   TaskId send = builder.add(transfer_task(Bytes(1e6), route), {forward});
//   TaskGraph graph = std::move(builder).build();
//
// 44 bytes a task and 4 an edge.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "simulator/task/task.h"

namespace paceline {

class TaskGraph {
 public:
  // What the engine reads of a task, packed. `amount` is picoseconds, or the bits of a double that
  // holds bytes (kTransfer).
  struct Record {
    std::int64_t amount = 0;
    ResourceId resource = kNoResource;
    RouteId route = kNoRoute;
    std::uint32_t first_successor = 0;
    std::int16_t priority = 0;
    WorkKind work = WorkKind::kFixed;
    bool uses_semaphores = false;
  };
  static_assert(sizeof(Record) == 24);

  // Tokens taken before a task starts or given back when it ends.
  struct SemaphoreUse {
    TaskId task{};
    SemaphoreId semaphore{};
    std::int32_t tokens = 1;
  };

  std::size_t size() const { return in_degree_.size(); }
  std::size_t edges() const { return successors_.size(); }
  Task task(TaskId id) const;
  const Label& label(TaskId id) const { return labels_[static_cast<std::size_t>(id)]; }
  const Record& record(TaskId id) const { return records_[static_cast<std::size_t>(id)]; }
  std::span<const TaskId> successors(TaskId id) const {
    const auto index = static_cast<std::size_t>(id);
    const std::size_t first = records_[index].first_successor;
    return {successors_.data() + first, records_[index + 1].first_successor - first};
  }
  std::uint32_t in_degree(TaskId id) const { return in_degree_[static_cast<std::size_t>(id)]; }

  std::span<const std::uint32_t> in_degrees() const { return in_degree_; }
  std::span<const Label> labels() const { return labels_; }
  // In order of task, then of semaphore.
  std::span<const SemaphoreUse> acquires(TaskId id) const { return uses_of(acquires_, id); }
  std::span<const SemaphoreUse> releases(TaskId id) const { return uses_of(releases_, id); }
  // The same graph with the durations of fixed and stretchable tasks multiplied by `factor(task)`,
  // asked for in order of id; bytes stay. Throws Error (internal) if a factor is negative.
  TaskGraph scaled(const std::function<double(TaskId)>& factor) const;
  const NameTable& names() const { return names_; }
  const std::string& name(TaskId id) const { return names_.text(label(id).name); }

 private:
  friend class TaskGraphBuilder;
  static std::span<const SemaphoreUse> uses_of(const std::vector<SemaphoreUse>& all, TaskId id);

  std::vector<Record> records_;  // one more than tasks: the last ends the successor rows
  std::vector<Label> labels_;
  std::vector<std::uint32_t> in_degree_;
  std::vector<TaskId> successors_;
  std::vector<SemaphoreUse> acquires_;
  std::vector<SemaphoreUse> releases_;
  NameTable names_;
};

}  // namespace paceline
