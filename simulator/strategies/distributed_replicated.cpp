// TensorFlow 1 (tf_cnn_benchmarks --variable_update=distributed_replicated): gradients are summed
// over the devices of a machine, one sum goes to the server that holds the variable, and each
// machine fetches the updated variable once and spreads it.
#include "simulator/strategies/parts/constants.h"
#include "simulator/strategies/parts/placement.h"
#include "simulator/strategies/parts/remote_servers.h"
#include "simulator/strategies/parts/update_after_all.h"

namespace paceline {
namespace {

class Run : public Aggregation {
 public:
  Run(JobBuilder& job, const StrategyOptions& options)
      : job_(job),
        servers_(job, options.count("servers"), options.on("colocated"),
                 BytesPerSecond(strategy_constant("tensorflow.rpc_rate"))),
        owners_(round_robin_owners(job.gradients().size(), servers_.count())) {}

  void gradient_ready(std::uint32_t gradient) override {
    const Bytes bytes = job_.gradients()[gradient].bytes;
    const CollectiveGroup inside{1, job_.spec().group.per_machine};
    TaskId task = job_.ready(0, gradient);
    task = job_.collective_over(inside, 0, CollectiveOp::kAllReduce, bytes, {&task, 1},
                                "communication");
    const int server = owners_[gradient];
    task = job_.copy(job_.fabric().to_host(0) + servers_.up(server), bytes, 0, {&task, 1});
    task = job_.processor_add(static_cast<double>(job_.spec().group.machines) * bytes, 1024,
                              {&task, 1}, servers_.processor(server));
    task = job_.copy(servers_.down(server) + job_.fabric().from_host(0), bytes, -1, {&task, 1});
    task =
        job_.collective_over(inside, 0, CollectiveOp::kBroadcast, bytes, {&task, 1}, "broadcast");
    job_.set_weights_ready(0, gradient, task);
  }
  void update() override {}

 private:
  JobBuilder& job_;
  RemoteServers servers_;
  std::vector<int> owners_;
};

class DistributedReplicated : public Strategy {
 public:
  std::vector<StrategyOption> options() const override { return remote_server_options("1"); }
  void check(const JobSpec& job, const StrategyOptions&) const override {
    if (job.group.machines > 1 || job.ranks() == 1) return;
    throw UsageError(
        "--strategy distributed-replicated needs several machines (--gpus-per-node, --net); inside "
        "one use replicated");
  }
  bool one_process_feeds_all() const override { return true; }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    if (job.spec().ranks() < 2) return std::make_unique<UpdateAfterAll>(job);
    return std::make_unique<Run>(job, options);
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions&) const override {
    if (job.ranks() < 2) return {};
    const int local = job.group.per_machine;
    const double inside = local > 1 ? bus_factor(CollectiveOp::kAllReduce, local) +
                                          bus_factor(CollectiveOp::kBroadcast, local)
                                    : 0;
    return (inside + 1) * job.profile.gradient_bytes();
  }
  // Servers update, and keep the optimizer's state.
  Shares shares(const JobSpec&, const StrategyOptions&) const override {
    return {.optimizer_state = 0};
  }
  std::vector<std::string> remarks(const JobSpec& job,
                                   const StrategyOptions& options) const override {
    return remote_server_remarks(job, options.count("servers"), options.on("colocated"));
  }
};

}  // namespace

void register_distributed_replicated(StrategyRegistry& registry) {
  registry.add("distributed-replicated",
               "TensorFlow 1: summed inside machines, updated on servers, spread again",
               [] { return std::make_unique<const DistributedReplicated>(); });
}

}  // namespace paceline
