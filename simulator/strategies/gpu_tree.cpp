// Caffe before 2017 (P2PSync, src/caffe/parallel.cpp before 3ba20549b): the devices of a machine
// form a binary tree. Weights go down at the start of an iteration, each parent sending the whole
// model to one child after another; gradients come up at its end, added by each parent; the root
// alone updates. One flat buffer, nothing overlaps. Devices that are machines of their own form the
// same tree over the network.
#include <bit>

#include "simulator/strategies/parts/local_ranks.h"

namespace paceline {
namespace {

// Children of a rank, the one with the largest subtree first.
std::vector<int> children_of(int rank, int ranks) {
  std::vector<int> out;
  const int lowest =
      rank == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks))) : rank & -rank;
  for (int step = lowest / 2; step > 0; step /= 2) {
    if (rank + step < ranks) out.push_back(rank + step);
  }
  return out;
}

class Run : public Aggregation {
 public:
  explicit Run(JobBuilder& job) : job_(job), updated_(kNoTask) {}

  void begin_iteration() override {
    if (job_.ranks() > 1) send_down(0, updated_ == kNoTask ? job_.join({}) : updated_);
  }
  void end_backward() override { collect(0); }
  void update() override {
    updated_ = job_.update(0, job_.spec().profile.gradient_bytes(), {&collected_, 1});
  }

 private:
  Bytes model() const { return job_.spec().profile.gradient_bytes(); }

  // The rank has the weights after `have`; it computes when it has sent them on.
  void send_down(int rank, TaskId have) {
    for (const int child : children_of(rank, job_.ranks())) {
      const TaskId sent = job_.copy(job_.between(rank, child), model(), rank, {&have, 1});
      send_down(child, sent);
      have = sent;
    }
    job_.block(rank, have);
  }

  // The sum of the rank's subtree is on the rank after the returned task.
  TaskId collect(int rank) {
    std::vector<int> children = children_of(rank, job_.ranks());
    TaskId sum = job_.latest(rank);
    for (std::size_t i = children.size(); i-- > 0;) {  // the nearest first
      const TaskId theirs = collect(children[i]);
      const TaskId after[] = {theirs, sum};
      const TaskId here = job_.copy(job_.between(children[i], rank), model(), children[i], after);
      sum = job_.kernel(rank, 2 * model(), model(), {&here, 1}, job_.queue(rank, "adds"));
    }
    if (rank == 0) collected_ = sum;
    return sum;
  }

  JobBuilder& job_;
  TaskId updated_;
  TaskId collected_ = kNoTask;
};

class GpuTree : public Strategy {
 public:
  void check(const JobSpec& job, const StrategyOptions&) const override {
    if (job.group.per_machine > 1) check_one_machine(job, "gpu-tree");
  }
  int simulated_ranks(const JobSpec& job, const StrategyOptions&) const override {
    return job.ranks();
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job, const StrategyOptions&) const override {
    return std::make_unique<Run>(job);
  }
  // The root sends the model to each child and no gradient; a rank below it sends both.
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions&) const override {
    double most = 0;
    for (int rank = 0; rank < job.ranks(); ++rank) {
      const auto down = static_cast<double>(children_of(rank, job.ranks()).size());
      most = std::max(most, down + (rank == 0 ? 0 : 1));
    }
    return most * job.profile.gradient_bytes();
  }
  // Every child allocates a buffer for its sum on its parent (P2PSync's constructor:
  // parent_grads_): the root has most children.
  Bytes buffers(const JobSpec& job, const StrategyOptions&) const override {
    const auto children = static_cast<double>(children_of(0, job.ranks()).size());
    return children * job.profile.gradient_bytes();
  }
};

}  // namespace

void register_gpu_tree(StrategyRegistry& registry) {
  registry.add("gpu-tree",
               "Caffe's binary tree of devices: weights down, gradients up, root updates",
               [] { return std::make_unique<const GpuTree>(); });
}

}  // namespace paceline
