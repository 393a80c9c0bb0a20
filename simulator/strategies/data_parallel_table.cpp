// Torch7 nn.DataParallelTable (cunn, DataParallelTable.lua): after the whole backward pass every
// other device's gradients are copied to the first and added there, tensor by tensor and strictly
// one after another; the first device updates; the weights are copied to the others likewise.
// flatten=on: all tensors as one; nccl=on: reduce and broadcast by NCCL.
#include <algorithm>

#include "simulator/strategies/parts/local_ranks.h"

namespace paceline {
namespace {

class Run : public Aggregation {
 public:
  Run(JobBuilder& job, const StrategyOptions& options) : job_(job), nccl_(options.on("nccl")) {
    if (options.on("flatten")) {
      pieces_.push_back(job.spec().profile.gradient_bytes());
    } else {
      for (const GradientTensor& gradient : job.gradients()) pieces_.push_back(gradient.bytes);
    }
  }

  void end_backward() override {
    std::vector<TaskId> all;
    for (int rank = 0; rank < job_.ranks(); ++rank) all.push_back(job_.latest(rank));
    summed_ = job_.join(all);
    if (job_.ranks() < 2) return;
    if (nccl_) {
      collectives(CollectiveOp::kReduce, summed_);
    } else {
      add_up();
    }
    for (int rank = 0; rank < job_.ranks(); ++rank) job_.block(rank, summed_);
  }
  void update() override {
    TaskId spread = job_.update(0, job_.spec().profile.gradient_bytes(), {&summed_, 1});
    if (job_.ranks() < 2) return;
    if (nccl_) {
      collectives(CollectiveOp::kBroadcast, spread);
    } else {
      for (int rank = 1; rank < job_.ranks(); ++rank) {
        for (const Bytes piece : pieces_) {
          spread = job_.copy(between(job_, 0, rank), piece, 0, {&spread, 1});
        }
      }
    }
    for (int rank = 0; rank < job_.ranks(); ++rank) job_.block(rank, spread);
  }

 private:
  void add_up() {
    for (int rank = 1; rank < job_.ranks(); ++rank) {
      for (const Bytes piece : pieces_) {
        summed_ = job_.copy(between(job_, rank, 0), piece, rank, {&summed_, 1});
        summed_ = job_.kernel(0, 2 * piece, piece, {&summed_, 1}, job_.queue(0, "adds"));
      }
    }
  }
  void collectives(CollectiveOp op, TaskId& after) {
    for (const Bytes piece : pieces_) after = job_.collective(0, op, piece, {&after, 1});
  }

  JobBuilder& job_;
  bool nccl_;
  std::vector<Bytes> pieces_;
  TaskId summed_ = kNoTask;
};

class DataParallelTable : public Strategy {
 public:
  std::vector<StrategyOption> options() const override {
    return {{.name = "flatten",
             .kind = OptionKind::kSwitch,
             .fallback = "off",
             .choices = {},
             .summary = "all parameters as one tensor",
             .example = "on"},
            {.name = "nccl",
             .kind = OptionKind::kSwitch,
             .fallback = "off",
             .choices = {},
             .summary = "reduce and broadcast by NCCL instead of copies",
             .example = "on"}};
  }
  void check(const JobSpec& job, const StrategyOptions&) const override {
    check_one_machine(job, "data-parallel-table");
  }
  bool one_process_feeds_all() const override { return true; }
  int simulated_ranks(const JobSpec& job, const StrategyOptions&) const override {
    return local_ranks(job);
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    return std::make_unique<Run>(job, options);
  }
  // The first device sends the weights to each other one; by NCCL every device passes them on.
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override {
    if (job.ranks() < 2) return {};
    const double times = options.on("nccl") ? 2 : std::max(1, job.ranks() - 1);
    return times * job.profile.gradient_bytes();
  }
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override {
    if (job.ranks() < 2 || options.on("nccl")) return {};
    if (options.on("flatten")) return job.profile.gradient_bytes();
    Bytes largest;
    for (const GradientTensor& gradient : job.profile.gradients) {
      largest = std::max(largest, gradient.bytes);
    }
    return largest;
  }
};

}  // namespace

void register_data_parallel_table(StrategyRegistry& registry) {
  registry.add("data-parallel-table",
               "Torch7 DataParallelTable: serial copies and additions on the first device",
               [] { return std::make_unique<const DataParallelTable>(); });
}

}  // namespace paceline
