// Turns a job into tasks: the ranks of one machine (or one of them, where all do the same) compute
// segment by segment; a strategy adds collectives, copies, kernels and host work around them.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "simulator/job/communicator.h"
#include "simulator/job/job_spec.h"
#include "simulator/job/machine_fabric.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {

class JobBuilder {
 public:
  // `ranks`: of the first machine that are simulated, 1 where all ranks do the same.
  JobBuilder(const JobSpec& spec, Communicator& communicator, int ranks);

  const JobSpec& spec() const { return spec_; }
  const std::vector<GradientTensor>& gradients() const { return spec_.profile.gradients; }
  int ranks() const { return ranks_; }
  int iteration() const { return iteration_; }
  MachineFabric& fabric() { return fabric_; }
  // What a collective takes alone, under the conditions of the job.
  CollectiveCost message_cost(CollectiveOp op, Bytes bytes, const CollectiveGroup& group,
                              const std::string& library = "nccl");

  // A queue of this name on a rank (-1: of the machine): tasks run one at a time. `compute` is the
  // stream of the model's own kernels.
  ResourceId queue(int rank, const std::string& name);
  ResourceId compute(int rank) { return queue(rank, "compute"); }

  // When the gradient is final on the rank; what the rank's latest segment was.
  TaskId ready(int rank, std::uint32_t gradient) const;
  TaskId latest(int rank) const { return latest_.at(static_cast<std::size_t>(rank)); }

  // A collective over `group` that takes its cost alone, in issue order on `stream` of `rank`.
  TaskId collective(int rank, CollectiveOp op, Bytes bytes, std::span<const TaskId> after,
                    const std::string& stream = "communication",
                    const std::string& library = "nccl");
  TaskId collective_over(const CollectiveGroup& group, int rank, CollectiveOp op, Bytes bytes,
                         std::span<const TaskId> after, const std::string& stream,
                         const std::string& library = "nccl");
  // A collective of this cost; kernels of its rank run slower meanwhile. `sent`: by each rank.
  TaskId message(int rank, const CollectiveCost& cost, Bytes bytes, Bytes sent,
                 std::span<const TaskId> after, const std::string& stream,
                 std::int16_t priority = 0);
  // One of a measured duration.
  TaskId timed_message(int rank, Seconds time, Bytes bytes, Bytes sent,
                       std::span<const TaskId> after, const std::string& stream);
  // Bytes over a way. `sender`: whose message it is, -1 if no device sends it. With a queue the
  // copy holds it; the first come is the first served unless `priority` differs.
  TaskId copy(const Way& way, Bytes bytes, int sender, std::span<const TaskId> after,
              ResourceId queue = kNoResource, std::int16_t priority = 0);
  // Counts bytes that a rank sends as its part of a copy for several.
  void count_sent(int rank, Bytes bytes) { sent_.at(static_cast<std::size_t>(rank)) += bytes; }
  // A kernel that streams through memory, on a queue of the rank. Bytes of all operands.
  TaskId kernel(int rank, Bytes read, Bytes written, std::span<const TaskId> after,
                ResourceId queue, double launches = 1);
  // One that takes `alone` where nothing else uses the memory; workers that share a host stream
  // through it together.
  TaskId timed_kernel(int rank, Seconds alone, Bytes read, Bytes written,
                      std::span<const TaskId> after, ResourceId queue);
  Seconds kernel_time(Bytes read, Bytes written);
  // A processor adds `bytes` of one operand to another in host memory with this many threads.
  TaskId processor_add(Bytes bytes, int threads, std::span<const TaskId> after, ResourceId queue);
  // The update of these weights by a rank: their share of the model's update. On the compute
  // stream, or on another queue.
  TaskId update(int rank, Bytes weights, std::span<const TaskId> after,
                ResourceId queue = kNoResource);
  // From one rank to another of a job whose ranks are all simulated: inside their machine, or over
  // the network where each is a machine.
  Way between(int from, int to);
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

  // The next forward pass of the layers of this gradient, or of all, waits for `task`.
  void set_weights_ready(int rank, std::uint32_t gradient, TaskId task);
  void set_all_weights_ready(int rank, TaskId task);
  // The next segment of the rank, whatever it is, waits for `task`: the issuing thread is blocked.
  void block(int rank, TaskId task);

  // For the simulation.
  void begin_iteration(int iteration) { iteration_ = iteration; }
  void segment(int rank, Phase phase, const ComputeSegment& segment, bool wait_for_weights,
               bool final);
  void fixed_compute(int rank, SpanKind kind, Seconds time);
  const std::vector<SentMessage>& messages() const { return messages_; }
  // Bytes a rank has sent, all iterations together.
  Bytes sent(int rank) const { return sent_.at(static_cast<std::size_t>(rank)); }
  Platform& platform() { return platform_; }
  // The limit of the slowest message so far, in words.
  const std::string& message_bottleneck() const { return bottleneck_; }
  // Where its time comes from; that of the catalog's links if it was a copy.
  const Origin& message_origin() const { return message_origin_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Groups over which NCCL was asked to run collectives, each a communicator of its own.
  const std::vector<NcclUse>& nccl_groups() const { return nccl_groups_; }
  // What of the job's conditions has gone into its tasks.
  ConditionsRead conditions_read() const;
  // Once, at the end.
  TaskGraph take_graph() { return std::move(tasks_).build(); }

 private:
  void note_nccl(const CollectiveGroup& group, const CollectiveCost& cost);
  Label label(SpanKind kind, int rank, std::int32_t layer = -1) const;
  TaskId add_compute(int rank, const Task& task, std::span<const TaskId> after);
  // How many ranks of the job one that is simulated stands for.
  double stands_for() const { return static_cast<double>(spec_.ranks()) / ranks_; }
  // A way with what it takes of the cores, where workers share them.
  Way loaded(Way way) const;
  // How much longer a kernel that streams through memory takes while the other workers of the host
  // run theirs; 1 where none shares it.
  double memory_sharing(Bytes read, Bytes written);
  Seconds stream_time(Bytes read, Bytes written, int threads) const;
  // Work of a processor or device, of a rank or of the machine (-1).
  Task work(Seconds time, ResourceId queue, const Label& label, int rank);
  TaskId add_message(int rank, const Task& task, Bytes bytes, Bytes sent,
                     std::span<const TaskId> after);
  TaskId add_segment(int rank, const ComputeSegment& segment, const Label& label,
                     std::span<const TaskId> after);

  const JobSpec& spec_;
  Communicator& communicator_;
  int ranks_;
  Platform platform_;
  MachineFabric fabric_;
  std::optional<CorePool> cores_;
  TaskGraphBuilder tasks_;
  int iteration_ = 0;
  std::map<std::pair<int, std::string>, ResourceId> queues_;
  std::vector<std::vector<TaskId>> ready_;          // rank, gradient
  std::vector<std::vector<TaskId>> weights_ready_;  // rank, gradient; kNone: no need to wait
  std::vector<std::vector<std::uint32_t>> gradients_of_layer_;
  std::vector<TaskId> latest_;
  std::vector<std::vector<TaskId>> blocked_by_;
  std::vector<SentMessage> messages_;
  std::vector<Bytes> sent_;
  std::map<std::pair<double, double>, Seconds> kernel_times_;
  std::vector<NcclUse> nccl_groups_;
  std::string bottleneck_;
  Origin message_origin_{OriginKind::kDataSheet, "links of the catalog"};
  Seconds slowest_message_;
  std::vector<std::string> warnings_;
  std::optional<ContendedDevices> devices_;  // where kernels are slowed
  ConditionsRead read_;
};

inline constexpr TaskId kNoTask{0xffffffff};

}  // namespace paceline
