// PyTorch nn.DataParallel (torch/nn/parallel/data_parallel.py): one process drives all devices. The
// weights are broadcast in buffers before each forward pass, replicas run in threads that share one
// interpreter, so that the host work of all of them is done one after another, and gradients are
// reduced in buffers to the first device, which alone updates.
#include <algorithm>
#include <cmath>

#include "simulator/strategies/parts/local_ranks.h"

namespace paceline {
namespace {

class Run : public Aggregation {
 public:
  Run(JobBuilder& job, Bytes buffer) : job_(job), buffer_(buffer) {}

  void begin_iteration() override {
    if (job_.ranks() < 2) return;
    TaskId task = updated_;
    const std::span<const TaskId> after(&task, task == kNoTask ? 0 : 1);
    const TaskId there = in_buffers(CollectiveOp::kBroadcast, after);
    for (int rank = 0; rank < job_.ranks(); ++rank) job_.block(rank, there);
  }
  // The other replicas' host work of a segment delays its launch: n times it, one after another.
  void before_forward(std::size_t segment, std::int64_t) override {
    contend(job_.spec().profile.forward[segment]);
  }
  void before_backward(std::size_t segment, std::int64_t) override {
    contend(job_.spec().profile.backward[segment]);
  }
  void end_backward() override {
    std::vector<TaskId> all;
    for (int rank = 0; rank < job_.ranks(); ++rank) all.push_back(job_.latest(rank));
    summed_ = job_.ranks() < 2 ? job_.join(all) : in_buffers(CollectiveOp::kReduce, all);
  }
  void update() override {
    updated_ = job_.update(0, job_.spec().profile.gradient_bytes(), {&summed_, 1});
  }

 private:
  void contend(const ComputeSegment& segment) {
    const Seconds held = static_cast<double>(job_.ranks()) * segment.host - segment.time;
    if (job_.ranks() < 2 || held <= Seconds(0)) return;
    for (int rank = 0; rank < job_.ranks(); ++rank) job_.fixed_compute(rank, SpanKind::kHost, held);
  }
  TaskId in_buffers(CollectiveOp op, std::span<const TaskId> after) {
    const Bytes all = job_.spec().profile.gradient_bytes();
    const double count = std::ceil(all / buffer_);
    TaskId last = job_.join(after);
    for (int i = 0; i < static_cast<int>(count); ++i) {
      last = job_.collective(0, op, all / count, {&last, 1});
    }
    return last;
  }

  JobBuilder& job_;
  Bytes buffer_;
  TaskId summed_ = kNoTask;
  TaskId updated_ = kNoTask;
};

class DataParallel : public Strategy {
 public:
  std::vector<StrategyOption> options() const override {
    return {{.name = "buffer_size",
             .kind = OptionKind::kBytes,
             .fallback = "10 MiB",
             .choices = {},
             .summary = "of a coalesced broadcast or reduction",
             .example = "1 MiB"}};
  }
  void check(const JobSpec& job, const StrategyOptions& options) const override {
    check_one_machine(job, "data-parallel");
    if (options.bytes("buffer_size").si() <= 0) throw UsageError("--set buffer_size: not positive");
  }
  int simulated_ranks(const JobSpec& job, const StrategyOptions&) const override {
    return local_ranks(job);
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    return std::make_unique<Run>(job, options.bytes("buffer_size"));
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions&) const override {
    return job.ranks() > 1 ? 2 * job.profile.gradient_bytes() : Bytes();
  }
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override {
    return job.ranks() > 1 ? options.bytes("buffer_size") : Bytes();
  }
};

}  // namespace

void register_data_parallel(StrategyRegistry& registry) {
  registry.add("data-parallel", "PyTorch nn.DataParallel: one process, broadcast and reduce",
               [] { return std::make_unique<const DataParallel>(); });
}

}  // namespace paceline
