// Turns a job into tasks: the ranks of one machine (or one of them, where all do the same) compute
// segment by segment; a strategy adds collectives, copies, kernels and host work around them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "simulator/job/communicator.h"
#include "simulator/job/job_tasks.h"
#include "simulator/job/message_log.h"
#include "simulator/job/rank_progress.h"
#include "simulator/job/stream_kernels.h"

namespace paceline {

class JobBuilder : public JobTasks {
 public:
  // `ranks`: of the first machine that are simulated, 1 where all ranks do the same.
  JobBuilder(const JobSpec& spec, Communicator& communicator, int ranks);

  const std::vector<GradientTensor>& gradients() const { return spec().profile.gradients; }
  // What a collective takes alone, under the conditions of the job.
  CollectiveCost message_cost(CollectiveOp op, Bytes bytes, const CollectiveGroup& group,
                              const std::string& library = "nccl");

  // When the gradient is final on the rank; what the rank's latest segment was.
  TaskId ready(int rank, std::uint32_t gradient) const { return progress_.ready(rank, gradient); }
  TaskId latest(int rank) const { return progress_.latest(rank); }

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
  void count_sent(int rank, Bytes bytes) { log_.count_sent(rank, bytes); }
  // A kernel that streams through memory, on a queue of the rank. Bytes of all operands.
  TaskId kernel(int rank, Bytes read, Bytes written, std::span<const TaskId> after,
                ResourceId queue, double launches = 1);
  // One that takes `alone` where nothing else uses the memory; workers that share a host stream
  // through it together.
  TaskId timed_kernel(int rank, Seconds alone, Bytes read, Bytes written,
                      std::span<const TaskId> after, ResourceId queue);
  // A processor adds `bytes` of one operand to another in host memory with this many threads.
  TaskId processor_add(Bytes bytes, int threads, std::span<const TaskId> after, ResourceId queue);
  // The same by a processor, one thread's worth of it, that works on all that is there at once, for
  // `users` workers that wait for nobody.
  TaskId shared_add(Bytes bytes, std::span<const TaskId> after, const std::string& processor,
                    int users);
  // The update of these weights by a rank: their share of the model's update. On the compute
  // stream, or on another queue.
  TaskId update(int rank, Bytes weights, std::span<const TaskId> after,
                ResourceId queue = kNoResource);
  // From one rank to another of a job whose ranks are all simulated: inside their machine, or over
  // the network where each is a machine.
  Way between(int from, int to);

  // The next forward pass of the layers of this gradient, or of all, waits for `task`.
  void set_weights_ready(int rank, std::uint32_t gradient, TaskId task) {
    progress_.set_weights_ready(rank, gradient, task);
  }
  void set_all_weights_ready(int rank, TaskId task) { progress_.set_all_weights_ready(rank, task); }
  // The next segment of the rank, whatever it is, waits for `task`: the issuing thread is blocked.
  void block(int rank, TaskId task) { progress_.block(rank, task); }

  // For the simulation.
  void segment(int rank, Phase phase, const ComputeSegment& segment, bool wait_for_weights,
               bool final);
  void fixed_compute(int rank, SpanKind kind, Seconds time);
  const MessageLog& log() const { return log_; }
  // What of the job's conditions has gone into its tasks.
  ConditionsRead conditions_read() const;

 private:
  Seconds processor_time(Bytes bytes, int threads);  // of an addition
  TaskId add_compute(int rank, const Task& task, std::span<const TaskId> after);
  TaskId add_message(int rank, const Task& task, Bytes bytes, Bytes sent,
                     std::span<const TaskId> after);
  TaskId add_segment(int rank, const ComputeSegment& segment, const Label& label,
                     std::span<const TaskId> after);

  Communicator& communicator_;
  RankProgress progress_;
  StreamKernels stream_kernels_;
  MessageLog log_;
  std::optional<ContendedDevices> devices_;  // where kernels are slowed
  ConditionsRead read_;
};

}  // namespace paceline
