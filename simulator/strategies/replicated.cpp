// TensorFlow 1 (tf_cnn_benchmarks --variable_update=replicated): every device has the variables;
// each gradient is summed over the devices of the machine when it is final, every device updates.
// all_reduce_spec=nccl, or pscpu: the devices' gradients are added in host memory.
#include "simulator/strategies/parts/local_ranks.h"
#include "simulator/strategies/parts/update_after_all.h"

namespace paceline {
namespace {

constexpr int kAllThreads = 1024;  // memory, not threads, limits what TensorFlow's pool adds

class ByCollective : public UpdateAfterAll {
 public:
  using UpdateAfterAll::UpdateAfterAll;
  void gradient_ready(std::uint32_t gradient) override {
    const TaskId after[] = {job().ready(0, gradient)};
    arrives(
        job().collective(0, CollectiveOp::kAllReduce, job().gradients()[gradient].bytes, after));
  }
};

class ByProcessor : public UpdateAfterAll {
 public:
  using UpdateAfterAll::UpdateAfterAll;
  void gradient_ready(std::uint32_t gradient) override {
    const Bytes bytes = job().gradients()[gradient].bytes;
    if (job().ranks() < 2) return;
    std::vector<TaskId> here;
    for (int rank = 0; rank < job().ranks(); ++rank) {
      const TaskId after[] = {job().ready(rank, gradient)};
      here.push_back(
          job().copy(job().fabric().to_host(rank), bytes, rank, after, job().queue(rank, "d2h")));
    }
    const TaskId sum = job().processor_add(static_cast<double>(job().ranks() - 1) * bytes,
                                           kAllThreads, here, job().queue(-1, "adds"));
    for (int rank = 0; rank < job().ranks(); ++rank) {
      arrives(job().copy(job().fabric().from_host(rank), bytes, -1, {&sum, 1},
                         job().queue(rank, "h2d")));
    }
  }
};

class Replicated : public Strategy {
 public:
  std::vector<StrategyOption> options() const override {
    return {{.name = "all_reduce_spec",
             .kind = OptionKind::kChoice,
             .fallback = "nccl",
             .choices = {"nccl", "pscpu"},
             .summary = "how gradients are summed: NCCL, or additions in host memory",
             .example = "pscpu"}};
  }
  void check(const JobSpec& job, const StrategyOptions&) const override {
    check_one_machine(job, "replicated");
  }
  bool one_process_feeds_all() const override { return true; }
  int simulated_ranks(const JobSpec& job, const StrategyOptions& options) const override {
    return options.is("all_reduce_spec", "nccl") ? 1 : local_ranks(job);
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    if (options.is("all_reduce_spec", "nccl")) return std::make_unique<ByCollective>(job);
    return std::make_unique<ByProcessor>(job);
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override {
    if (job.ranks() < 2) return {};
    const double times = options.is("all_reduce_spec", "nccl")
                             ? bus_factor(CollectiveOp::kAllReduce, job.ranks())
                             : 1;
    return times * job.profile.gradient_bytes();
  }
};

}  // namespace

void register_replicated(StrategyRegistry& registry) {
  registry.add("replicated", "TensorFlow 1: variables on every device, gradients summed one by one",
               [] { return std::make_unique<const Replicated>(); });
}

}  // namespace paceline
