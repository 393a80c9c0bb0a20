#include "simulator/strategies/parts/dist_kvstore.h"

#include "simulator/strategies/parts/placement.h"
#include "simulator/strategies/parts/strategy_memory.h"
#include "simulator/strategies/parts/update_after_all.h"

namespace paceline {
namespace {

constexpr int kReductionThreads = 4;  // MXNET_KVSTORE_REDUCTION_NTHREADS
constexpr double kTwoBits = 1.0 / 16;

int servers_of(const JobSpec& job, const StrategyOptions& options) {
  return options.was_set("servers") ? options.count("servers") : job.group.machines;
}

class DistKvstoreRun : public KvStoreRun {
 public:
  DistKvstoreRun(JobBuilder& job, const StrategyOptions& options, LocalSum local)
      : KvStoreRun(job),
        servers_(job, servers_of(job.spec(), options), options.on("colocated"), BytesPerSecond()),
        owners_(hashed_owners(job.gradients().size(), servers_.count())),
        bound_(options.count("bigarray_bound")),
        two_bits_(options.is("compression", "2-bit")),
        local_(local) {}

  void push_and_pull(std::uint32_t gradient, Bytes bytes) override {
    const TaskId host =
        local_ == LocalSum::kOnHost ? on_host(gradient, bytes) : on_device(gradient, bytes);
    const bool split = job_.gradients()[gradient].elements >= bound_;
    const int shards = split ? servers_.count() : 1;
    std::vector<TaskId> back;
    for (int shard = 0; shard < shards; ++shard) {
      back.push_back(through_server(bytes / shards, split ? shard : owners_[gradient], host));
    }
    spread_from_host(gradient, bytes, job_.join(back));
  }

 private:
  TaskId on_host(std::uint32_t gradient, Bytes bytes) {
    const std::vector<TaskId> here = gather_on_host(gradient, bytes);
    return job_.processor_add(static_cast<double>(job_.ranks() - 1) * bytes, kReductionThreads,
                              here, job_.queue(-1, "adds"));
  }
  TaskId on_device(std::uint32_t gradient, Bytes bytes) {
    const int owner = static_cast<int>(gradient) % job_.ranks();
    TaskId sum = sum_on(owner, gradient, bytes);
    if (two_bits_) {  // quantized where it is, the residual read and written
      sum = job_.kernel(owner, 2 * bytes, (1 + kTwoBits) * bytes, {&sum, 1},
                        job_.queue(owner, "adds"));
    }
    const Bytes packed = two_bits_ ? kTwoBits * bytes : bytes;
    return job_.copy(job_.fabric().to_host(owner), packed, -1, {&sum, 1}, job_.queue(owner, "d2h"),
                     priority(gradient));
  }
  // The pull is asked for over the socket of the pushes, behind those that wait (ps-lite,
  // zmq_van.h). A socket is first in, first out: priorities of keys order the engine's work only.
  TaskId through_server(Bytes bytes, int server, TaskId host) {
    const std::string name = " server " + std::to_string(server);
    const Bytes pushed = two_bits_ ? kTwoBits * bytes : bytes;
    const ResourceId socket = job_.queue(-1, "push to" + name);
    const Way up = servers_.up(server);
    const TaskId there = job_.copy(up, pushed, 0, {&host, 1}, socket);
    // The gradients of all machines are added, then the update is one more pass.
    const TaskId updated =
        job_.processor_add(static_cast<double>(job_.spec().group.machines) * bytes, 1, {&there, 1},
                           servers_.processor(server));
    const TaskId answered[] = {updated, job_.request(up.latency, {&there, 1}, socket)};
    return job_.copy(servers_.down(server), bytes, -1, answered,
                     job_.queue(-1, "pull from" + name));
  }

  RemoteServers servers_;
  std::vector<int> owners_;
  std::int64_t bound_;
  bool two_bits_;
  LocalSum local_;
};

}  // namespace

std::vector<StrategyOption> dist_kvstore_options() {
  std::vector<StrategyOption> options = remote_server_options("");
  options.push_back({.name = "bigarray_bound",
                     .kind = OptionKind::kCount,
                     .fallback = "1000000",
                     .choices = {},
                     .summary = "keys of at least this many elements are split over all servers "
                                "(MXNET_KVSTORE_BIGARRAY_BOUND)",
                     .example = "1000"});
  options.push_back({.name = "compression",
                     .kind = OptionKind::kChoice,
                     .fallback = "none",
                     .choices = {"none", "2-bit"},
                     .summary =
                         "what is pushed of a gradient: all, or 2 bits an element; pulls are "
                         "whole",
                     .example = "2-bit"});
  return options;
}

void DistKvStore::check(const JobSpec& job, const StrategyOptions&) const {
  if (job.group.machines > 1 || job.ranks() == 1) return;
  throw UsageError(
      "distributed key-value stores need several machines (--gpus-per-node, --net); inside one use "
      "kvstore-local or kvstore-device");
}

std::unique_ptr<Aggregation> DistKvStore::start(JobBuilder& job,
                                                const StrategyOptions& options) const {
  if (job.spec().ranks() < 2) return std::make_unique<UpdateAfterAll>(job);
  return std::make_unique<DistKvstoreRun>(job, options, local_);
}

// Device 0 owns what the round robin gives it, and its machine's messages count as its own.
Bytes DistKvStore::bytes_sent(const JobSpec& job, const StrategyOptions& options) const {
  if (job.ranks() < 2) return {};
  const Bytes all = job.profile.gradient_bytes();
  const Bytes pushed = options.is("compression", "2-bit") ? kTwoBits * all : all;
  if (local_ == LocalSum::kOnHost) return all + pushed;
  Bytes owned;
  for (std::size_t i = 0; i < job.profile.gradients.size(); ++i) {
    if (static_cast<int>(i) % local_ranks(job) == 0) owned += job.profile.gradients[i].bytes;
  }
  return all - owned + pushed;
}

// Summed on devices: of each key its owner has the sum and a copy from every other device.
Bytes DistKvStore::buffers(const JobSpec& job, const StrategyOptions& options) const {
  if (job.ranks() < 2) return {};
  const Bytes residual = options.is("compression", "none") ? Bytes() : job.profile.gradient_bytes();
  if (local_ == LocalSum::kOnHost || local_ranks(job) < 2) return residual;
  const std::vector<int> owners =
      round_robin_owners(job.profile.gradients.size(), local_ranks(job));
  return residual + static_cast<double>(local_ranks(job)) * largest_owned(job, owners);
}

std::vector<std::string> DistKvStore::remarks(const JobSpec& job,
                                              const StrategyOptions& options) const {
  return remote_server_remarks(job, servers_of(job, options), options.on("colocated"));
}

}  // namespace paceline
