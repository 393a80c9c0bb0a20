// MXNet kvstore=local (CommCPU, src/kvstore/comm.h): all devices copy the gradient of a key to
// pinned host memory, a few threads add, the update runs on the processor, the weights go back.
#include "simulator/strategies/parts/kvstore_run.h"

namespace paceline {
namespace {

class Run : public KvStoreRun {
 public:
  Run(JobBuilder& job, int threads) : KvStoreRun(job), threads_(threads) {}
  void push_and_pull(std::uint32_t gradient, Bytes bytes) override {
    const std::vector<TaskId> here = gather_on_host(gradient, bytes);
    // n - 1 additions, and one more pass that updates.
    const TaskId updated = job_.processor_add(static_cast<double>(job_.ranks()) * bytes, threads_,
                                              here, job_.queue(-1, "adds"));
    spread_from_host(gradient, bytes, updated);
  }

 private:
  int threads_;
};

class KvStoreLocal : public Strategy {
 public:
  std::vector<StrategyOption> options() const override {
    return {{.name = "reduction_threads",
             .kind = OptionKind::kCount,
             .fallback = "4",
             .choices = {},
             .summary = "threads that add in host memory (MXNET_KVSTORE_REDUCTION_NTHREADS)",
             .example = "1"}};
  }
  void check(const JobSpec& job, const StrategyOptions&) const override {
    check_one_machine(job, "kvstore-local");
  }
  int simulated_ranks(const JobSpec& job, const StrategyOptions&) const override {
    return local_ranks(job);
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    return std::make_unique<Run>(job, options.count("reduction_threads"));
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions&) const override {
    return job.ranks() > 1 ? job.profile.gradient_bytes() : Bytes();
  }
  // The optimizer and its state are the processor's.
  Shares shares(const JobSpec&, const StrategyOptions&) const override {
    return {.optimizer_state = 0};
  }
};

}  // namespace

void register_kvstore_local(StrategyRegistry& registry) {
  registry.add("kvstore-local", "MXNet kvstore=local: keys are added and updated in host memory",
               [] { return std::make_unique<const KvStoreLocal>(); });
}

}  // namespace paceline
