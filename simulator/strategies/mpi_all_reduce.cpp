// CNTK's data-parallel SGD with 32 bits (SGDLib/SimpleDistGradAggregator.h): after the whole
// backward pass; small gradients are packed into one buffer. library=nccl: one grouped
// all-reduce; mpi: tensors go to host memory, through MPI one after another, and back, as a
// pipeline. async_aggregation=on: gradients of the iteration before are aggregated while this one
// computes.
#include "simulator/strategies/parts/update_after_all.h"
#include "simulator/strategies/strategy.h"

namespace paceline {
namespace {

class Run : public Aggregation {
 public:
  Run(JobBuilder& job, const StrategyOptions& options)
      : job_(job), nccl_(options.is("library", "nccl")), late_(options.on("async_aggregation")) {
    const Bytes threshold = options.bytes("pack_threshold");
    Bytes packed;
    for (const GradientTensor& gradient : job.gradients()) {
      if (gradient.bytes <= threshold) {
        packed += gradient.bytes;
        ++packed_tensors_;
      } else {
        messages_.push_back(gradient.bytes);
      }
    }
    packed_ = packed;
    if (packed.si() > 0) messages_.push_back(packed);
  }

  void end_backward() override {
    TaskId start = job_.latest(0);
    if (packed_.si() > 0 && job_.spec().ranks() > 1) {
      start = job_.kernel(0, packed_, packed_, {&start, 1}, job_.compute(0), packed_tensors_);
    }
    TaskId done = start;
    if (job_.spec().ranks() > 1) {
      done = nccl_ ? job_.collective(0, CollectiveOp::kAllReduce,
                                     job_.spec().profile.gradient_bytes(), {&start, 1})
                   : pipeline(start);
    }
    (late_ ? next_ : arrived_) = done;
  }
  void update() override {
    const std::span<const TaskId> after(&arrived_, arrived_ == kNoTask ? 0 : 1);
    job_.update(0, job_.spec().profile.gradient_bytes(), after);
    if (late_) arrived_ = next_;
  }

 private:
  TaskId pipeline(TaskId start) {
    std::vector<TaskId> back;
    for (const Bytes bytes : messages_) {
      const TaskId down =
          job_.copy(job_.fabric().to_host(0), bytes, -1, {&start, 1}, job_.queue(0, "d2h"));
      const TaskId summed =
          job_.collective(0, CollectiveOp::kAllReduce, bytes, {&down, 1}, "communication", "mpi");
      back.push_back(
          job_.copy(job_.fabric().from_host(0), bytes, -1, {&summed, 1}, job_.queue(0, "h2d")));
    }
    return job_.join(back);
  }

  JobBuilder& job_;
  bool nccl_;
  bool late_;
  Bytes packed_;
  double packed_tensors_ = 0;
  std::vector<Bytes> messages_;
  TaskId arrived_ = kNoTask;
  TaskId next_ = kNoTask;
};

class MpiAllReduce : public Strategy {
 public:
  std::vector<StrategyOption> options() const override {
    return {{.name = "library",
             .kind = OptionKind::kChoice,
             .fallback = "mpi",
             .choices = {"mpi", "nccl"},
             .summary = "MPI over host memory, or NCCL",
             .example = "nccl"},
            {.name = "pack_threshold",
             .kind = OptionKind::kBytes,
             .fallback = "32 KiB",
             .choices = {},
             .summary = "gradients up to this size are packed into one message",
             .example = "0 B"},
            {.name = "async_aggregation",
             .kind = OptionKind::kSwitch,
             .fallback = "off",
             .choices = {},
             .summary = "aggregate the gradients of the iteration before while computing",
             .example = "on"}};
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    return std::make_unique<Run>(job, options);
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions&) const override {
    if (job.ranks() < 2) return {};
    return bus_factor(CollectiveOp::kAllReduce, job.ranks()) * job.profile.gradient_bytes();
  }
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override {
    return job.ranks() > 1 && options.on("async_aggregation") ? job.profile.gradient_bytes()
                                                              : Bytes();
  }
  std::vector<std::string> remarks(const JobSpec&, const StrategyOptions& options) const override {
    if (!options.on("async_aggregation")) return {};
    return {"gradients are applied one iteration late"};
  }
};

}  // namespace

void register_mpi_all_reduce(StrategyRegistry& registry) {
  registry.add("mpi-all-reduce", "CNTK data-parallel SGD, 32 bits: all-reduce after backward",
               [] { return std::make_unique<const MpiAllReduce>(); });
}

}  // namespace paceline
