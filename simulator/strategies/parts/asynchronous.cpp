#include "simulator/strategies/parts/asynchronous.h"

#include <map>

#include "simulator/strategies/parts/placement.h"
#include "simulator/strategies/parts/remote_servers.h"

namespace paceline {
namespace {

int workers_of(const JobSpec& job) {
  return job.group.machines > 1 ? job.group.machines : job.group.per_machine;
}

using Users = std::map<ResourceId, int>;

void add_user(Users& users, const Way& way) {
  for (const RouteUse& use : way.uses) ++users[use.resource];
}

// One worker, the first: servers pass and update what all of them send.
class AsynchronousRun : public Aggregation {
 public:
  AsynchronousRun(JobBuilder& job, int servers)
      : job_(job),
        workers_(workers_of(job.spec())),
        owners_(round_robin_owners(job.gradients().size(), servers)) {
    if (remote()) return;
    for (int worker = 0; worker < workers_; ++worker) {
      add_user(users_up_, job.fabric().to_host(worker));
      add_user(users_down_, job.fabric().from_host(worker));
    }
  }

  void gradient_ready(std::uint32_t gradient) override {
    if (job_.spec().ranks() > 1) exchange(gradient);
  }
  void update() override {
    if (job_.spec().ranks() < 2) job_.update(0, job_.spec().profile.gradient_bytes(), {});
  }

 private:
  bool remote() const { return job_.spec().group.machines > 1; }

  void exchange(std::uint32_t gradient) {
    const Bytes bytes = job_.gradients()[gradient].bytes;
    const CollectiveGroup inside{1, job_.spec().group.per_machine};
    TaskId task = job_.ready(0, gradient);
    if (remote()) {
      task = job_.collective_over(inside, 0, CollectiveOp::kReduce, bytes, {&task, 1},
                                  "communication");
    }
    const std::string server = "server " + std::to_string(owners_[gradient]);
    task = job_.copy(up(server), bytes, 0, {&task, 1});
    task = job_.shared_add(bytes, {&task, 1}, server + " updates", workers_);
    task = job_.copy(down(server), bytes, -1, {&task, 1});
    if (remote()) {
      task =
          job_.collective_over(inside, 0, CollectiveOp::kBroadcast, bytes, {&task, 1}, "broadcast");
    }
    job_.set_weights_ready(0, gradient, task);
  }
  // Inside a machine the server is its processor.
  Way up(const std::string& server) {
    if (!remote()) return job_.crowded(job_.fabric().to_host(0), users_up_);
    return over_network(job_.fabric().out_of(kOwnCard, 1) +
                        of_all(job_.fabric().into("card of " + server, 1)));
  }
  Way down(const std::string& server) {
    if (!remote()) return job_.crowded(job_.fabric().from_host(0), users_down_);
    return over_network(of_all(job_.fabric().out_of("card of " + server, 1)) +
                        job_.fabric().into(kOwnCard, 1));
  }
  Way of_all(Way way) {
    Users users;
    for (const RouteUse& use : way.uses) users[use.resource] = workers_;
    return job_.crowded(std::move(way), users);
  }
  Way over_network(Way way) const {
    const LinkSpec& network = *job_.spec().cluster.network;
    way.latency += network.latency;
    if (network.per_flow) way.cap = *network.per_flow;
    return way;
  }

  static constexpr const char* kOwnCard = "card of worker 0";

  JobBuilder& job_;
  int workers_;
  std::vector<int> owners_;
  Users users_up_, users_down_;  // of links inside a machine
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

void AsynchronousServers::check(const JobSpec& job, const StrategyOptions& options) const {
  if (job.group.machines == 1 && options.was_set("servers")) {
    throw UsageError("--set servers has no effect inside one machine, whose processor serves");
  }
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
          "costs in accuracy is not predicted"};
}

}  // namespace paceline
