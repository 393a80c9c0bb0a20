#include "simulator/strategies/parts/asynchronous.h"

#include "simulator/strategies/parts/placement.h"
#include "simulator/strategies/parts/remote_servers.h"

namespace paceline {
namespace {

constexpr int kMostWorkers = 256;  // each is simulated

int workers_of(const JobSpec& job) {
  return job.group.machines > 1 ? job.group.machines : job.group.per_machine;
}

class AsynchronousRun : public Aggregation {
 public:
  AsynchronousRun(JobBuilder& job, int servers)
      : job_(job),
        servers_(servers),
        owners_(round_robin_owners(job.gradients().size(), servers)) {}

  void gradient_ready(std::uint32_t gradient) override {
    if (job_.spec().ranks() < 2) return;
    for (int worker = 0; worker < job_.ranks(); ++worker) exchange(worker, gradient);
  }
  void update() override {
    if (job_.spec().ranks() < 2) job_.update(0, job_.spec().profile.gradient_bytes(), {});
  }

 private:
  bool remote() const { return job_.spec().group.machines > 1; }

  void exchange(int worker, std::uint32_t gradient) {
    const Bytes bytes = job_.gradients()[gradient].bytes;
    const CollectiveGroup inside{1, job_.spec().group.per_machine};
    TaskId task = job_.ready(worker, gradient);
    if (remote()) {
      task = job_.collective_over(inside, worker, CollectiveOp::kReduce, bytes, {&task, 1},
                                  "communication");
    }
    const std::string server = "server " + std::to_string(owners_[gradient]);
    task = job_.copy(up(worker, server), bytes, worker, {&task, 1});
    task = job_.processor_add(bytes, 1, {&task, 1}, job_.queue(-1, server + " updates"));
    task = job_.copy(down(worker, server), bytes, -1, {&task, 1});
    if (remote()) {
      task = job_.collective_over(inside, worker, CollectiveOp::kBroadcast, bytes, {&task, 1},
                                  "broadcast");
    }
    job_.set_weights_ready(worker, gradient, task);
  }
  // Inside a machine the server is its processor.
  Way up(int worker, const std::string& server) {
    if (!remote()) return job_.fabric().to_host(worker);
    Way way = job_.fabric().out_of(card(worker), 1) + job_.fabric().into("card of " + server, 1);
    return over_network(std::move(way));
  }
  Way down(int worker, const std::string& server) {
    if (!remote()) return job_.fabric().from_host(worker);
    Way way = job_.fabric().out_of("card of " + server, 1) + job_.fabric().into(card(worker), 1);
    return over_network(std::move(way));
  }
  Way over_network(Way way) const {
    const LinkSpec& network = *job_.spec().cluster.network;
    way.latency += network.latency;
    if (network.per_flow) way.cap = *network.per_flow;
    return way;
  }
  static std::string card(int worker) { return "card of worker " + std::to_string(worker); }

  JobBuilder& job_;
  int servers_;
  std::vector<int> owners_;
};

}  // namespace

std::vector<StrategyOption> AsynchronousServers::options() const {
  return {{.name = "servers",
           .kind = OptionKind::kCount,
           .fallback = "1",
           .choices = {},
           .summary = "parameter servers of a job that spans machines",
           .example = "3"}};
}

int AsynchronousServers::simulated_ranks(const JobSpec& job, const StrategyOptions&) const {
  return workers_of(job);
}

void AsynchronousServers::check(const JobSpec& job, const StrategyOptions& options) const {
  if (job.group.machines == 1 && options.was_set("servers")) {
    throw UsageError("--set servers has no effect inside one machine, whose processor serves");
  }
  if (workers_of(job) <= kMostWorkers) return;
  throw UsageError("asynchronous training is simulated worker by worker, up to " +
                   std::to_string(kMostWorkers) + "; found " + std::to_string(workers_of(job)));
}

std::unique_ptr<Aggregation> AsynchronousServers::start(JobBuilder& job,
                                                        const StrategyOptions& options) const {
  return std::make_unique<AsynchronousRun>(job, options.count("servers"));
}

Bytes AsynchronousServers::bytes_sent(const JobSpec& job, const StrategyOptions&) const {
  if (job.ranks() < 2) return {};
  const int local = job.group.per_machine;
  const double inside = job.group.machines > 1 && local > 1 ? 2 : 0;  // reduce and broadcast
  return (inside + 1) * job.profile.gradient_bytes();
}

std::vector<std::string> AsynchronousServers::remarks(const JobSpec& job,
                                                      const StrategyOptions&) const {
  const int workers = workers_of(job);
  if (workers < 2) return {};
  return {"gradients are applied late: on average " + std::to_string(workers - 1) +
              " updates of other workers lie between reading the weights and the update; what that "
              "costs in accuracy is not predicted",
          "workers fall into step and wait for a server together, or stay apart and keep it busy: "
          "small differences decide, so that a faster network can be predicted slower"};
}

}  // namespace paceline
