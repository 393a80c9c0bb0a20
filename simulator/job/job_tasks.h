// The tasks of a simulated job and what they run on: queues of ranks and of their machine, the
// links between them, the cores that workers share.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "simulator/job/core_pool.h"
#include "simulator/job/job_spec.h"
#include "simulator/job/machine_fabric.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {

class JobTasks {
 public:
  // `ranks`: of the first machine that are simulated, 1 where all ranks do the same; `staging`: how
  // bytes pass through its memory.
  JobTasks(const JobSpec& spec, const StagingModel& staging, int ranks);

  const JobSpec& spec() const { return spec_; }
  int ranks() const { return ranks_; }
  int iteration() const { return iteration_; }
  void begin_iteration(int iteration) { iteration_ = iteration; }
  MachineFabric& fabric() { return fabric_; }
  const MachineFabric& fabric() const { return fabric_; }
  Platform& platform() { return platform_; }

  // The way of a worker that waits for nobody, slowed by those that use the same resources at times
  // of their own (crowding.h); how many workers use each, the simulated one included.
  Way crowded(Way way, const std::map<ResourceId, int>& users);
  // Of all resources of such ways and of such work.
  const std::map<ResourceId, int>& users() const { return users_; }
  // What all users do with a resource, in loads of the one that is simulated.
  double users_per_load(ResourceId id) const;

  // A queue of this name on a rank (-1: of the machine): tasks run one at a time. `compute` is the
  // stream of the model's own kernels.
  ResourceId queue(int rank, const std::string& name);
  ResourceId compute(int rank) { return queue(rank, "compute"); }

  // `time` on a queue, or of waiting on none.
  TaskId spend(Seconds time, std::span<const TaskId> after, ResourceId queue = kNoResource,
               SpanKind kind = SpanKind::kHost, int rank = 0);
  // A request that asks for a sum in the same first-in-first-out connection as what was sent: it
  // has its turn on `queue` behind messages that were ready before, then takes `latency` to arrive.
  TaskId request(Seconds latency, std::span<const TaskId> after, ResourceId queue,
                 std::int16_t priority = 0);
  TaskId join(std::span<const TaskId> after) { return tasks_.join(after); }
  TaskId join(std::initializer_list<TaskId> after) {
    return tasks_.join(std::span<const TaskId>(after.begin(), after.size()));
  }
  // Once, at the end.
  TaskGraph take_graph() { return std::move(tasks_).build(); }

 protected:
  TaskGraphBuilder& tasks() { return tasks_; }
  // Of the host that workers share; none where each has its own.
  CorePool* cores() { return cores_ ? &*cores_ : nullptr; }
  Label label(SpanKind kind, int rank, std::int32_t layer = -1) const;
  // Work of a processor or device, of a rank or of the machine (-1).
  Task work(Seconds time, ResourceId queue, const Label& label, int rank);
  // Work of a processor of the machine that does all it is asked for at once, in equal parts, for
  // so many workers that wait for nobody.
  Task shared_work(Seconds time, const std::string& processor, int users, const Label& label);
  // A way with what it takes of the cores, where workers share them.
  Way loaded(Way way) const;
  // How many ranks of the job one that is simulated stands for.
  double stands_for() const { return static_cast<double>(spec_.ranks()) / ranks_; }

 private:
  double crowding(ResourceId id) const;

  const JobSpec& spec_;
  int ranks_;
  int iteration_ = 0;
  Platform platform_;
  MachineFabric fabric_;
  std::optional<CorePool> cores_;
  TaskGraphBuilder tasks_;
  std::map<std::pair<int, std::string>, ResourceId> queues_;
  std::map<std::string, RouteId> processors_;  // that share themselves among tasks
  std::map<ResourceId, int> users_;
};

}  // namespace paceline
