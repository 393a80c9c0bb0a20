#include "simulator/strategies/parts/server_exchange.h"

#include <algorithm>
#include <cmath>

namespace paceline {
namespace {

constexpr int kServerThreads = 4;  // BYTEPS_SERVER_ENGINE_THREAD

std::string server_name(int server) { return "server " + std::to_string(server); }

}  // namespace

std::vector<StrategyOption> server_options(bool choice) {
  std::vector<StrategyOption> options = {
      {.name = "servers",
       .kind = OptionKind::kCount,
       .fallback = "",
       .choices = {},
       .summary = "parameter servers; as many as machines unless set",
       .example = "1"},
      {.name = "colocated",
       .kind = OptionKind::kSwitch,
       .fallback = "off",
       .choices = {},
       .summary = "servers share the machines and network cards of the workers",
       .example = "on"},
      {.name = "partition",
       .kind = OptionKind::kBytes,
       .fallback = "4.096 MB",
       .choices = {},
       .summary = "largest piece of a tensor (BYTEPS_PARTITION_BYTES)",
       .example = "1 MB"}};
  for (StrategyOption& option : options) {
    if (!choice) continue;
    option.only_with = "aggregation";
    option.only_values = {"parameter-server"};
  }
  return options;
}

void check_servers(const JobSpec& job, const StrategyOptions& options) {
  for (const char* name : {"servers", "colocated"}) {
    if (job.group.machines > 1 || !options.was_set(name)) continue;
    throw UsageError(std::string("--set ") + name +
                     " has no effect inside one machine, which has no servers");
  }
}

int server_count(const JobSpec& job, const StrategyOptions& options) {
  return options.was_set("servers") ? options.count("servers") : job.group.machines;
}

ServerExchange::ServerExchange(JobBuilder& job, const StrategyOptions& options)
    : job_(job),
      partition_(options.bytes("partition")),
      servers_(server_count(job.spec(), options)),
      colocated_(options.on("colocated")) {
  if (partition_.si() <= 0) throw UsageError("--set partition: expected a positive size");
  if (colocated_ && servers_ > job.spec().group.machines) {
    throw UsageError("--set servers=" + std::to_string(servers_) +
                     " colocated=on: at most one "
                     "server on each of the " +
                     std::to_string(job.spec().group.machines) + " machines");
  }
}

TaskId ServerExchange::exchange(Bytes bytes, std::span<const TaskId> after, std::int16_t priority) {
  const TaskId start = job_.join(after);
  if (job_.spec().ranks() < 2) return start;
  const double pieces = std::ceil(bytes / partition_);
  std::vector<TaskId> done;
  for (int i = 0; i < static_cast<int>(pieces); ++i) {
    done.push_back(piece(bytes / pieces, start, priority));
  }
  return job_.join(done);
}

TaskId ServerExchange::piece(Bytes bytes, TaskId after, std::int16_t priority) {
  const TaskId scattered = inside(CollectiveOp::kReduceScatter, bytes, after, priority);
  const TaskId summed =
      job_.spec().group.machines == 1 ? scattered : through_server(bytes, scattered, priority);
  return inside(CollectiveOp::kAllGather, bytes, summed, priority);
}

TaskId ServerExchange::inside(CollectiveOp op, Bytes bytes, TaskId after, std::int16_t priority) {
  const CollectiveGroup local{1, job_.spec().group.per_machine};
  if (local.per_machine < 2) return after;
  const CollectiveCost cost = job_.message_cost(op, bytes, local);
  // Pieces of equal priority go in the order in which they are ready, not in that of issue.
  const auto rank = static_cast<std::int16_t>(priority + 1);
  return job_.message(0, cost, bytes, bus_factor(op, local.per_machine) * bytes, {&after, 1},
                      "nccl", rank);
}

// The sum is asked for when the push has arrived, over the socket of the pushes (ps-lite,
// zmq_van.h: one to each server): where pushes queue for the network, nothing is pulled before they
// have gone, and the two directions take turns.
TaskId ServerExchange::through_server(Bytes bytes, TaskId after, std::int16_t priority) {
  const CollectiveGroup& group = job_.spec().group;
  const int server = next_server_++ % servers_;
  const std::string name = server_name(server);
  const Bytes shard = bytes / static_cast<double>(group.per_machine);
  // One flow stands for those of all machines: its bytes arrive at the server from each of them.
  // A colocated server has its own machine's piece without the network; server 0 is on the machine
  // that is simulated.
  const double remote = group.machines - (colocated_ ? 1 : 0);
  const bool here = colocated_ && server == 0;
  MachineFabric& fabric = job_.fabric();
  Way up = fabric.to_network();
  Way down = fabric.from_network();
  if (here) {
    up = fabric.into("network card of each machine", remote);
    down = fabric.out_of("network card of each machine", remote);
  } else {
    up += fabric.into(name, remote);
    down += fabric.out_of(name, remote);
  }
  const auto& per_flow = job_.spec().cluster.network->per_flow;
  if (per_flow) up.cap = down.cap = *per_flow;

  const TaskId host =
      job_.copy(fabric.to_host(0), shard, -1, {&after, 1}, job_.queue(0, "d2h"), priority);
  const ResourceId socket = job_.queue(-1, "push to " + name);
  const TaskId pushed = job_.copy(up, bytes, -1, {&host, 1}, socket, priority);
  job_.count_sent(0, shard);
  const TaskId added =
      job_.processor_add(static_cast<double>(group.machines - 1) * bytes, kServerThreads,
                         {&pushed, 1}, job_.queue(-1, name + " adds"));
  const TaskId answered[] = {added, job_.request(up.latency, {&pushed, 1}, socket, priority)};
  const TaskId pulled =
      job_.copy(down, bytes, -1, answered, job_.queue(-1, "pull from " + name), priority);
  return job_.copy(fabric.from_host(0), shard, -1, {&pulled, 1}, job_.queue(0, "h2d"), priority);
}

Bytes server_bytes_sent(const JobSpec& job, Bytes bytes) {
  if (job.ranks() < 2) return {};
  const int local = job.group.per_machine;
  const double inside = local > 1 ? 2 * bus_factor(CollectiveOp::kAllGather, local) : 0;
  const double between = job.group.machines > 1 ? 1.0 / local : 0;
  return (inside + between) * bytes;
}

std::vector<std::string> server_remarks(const JobSpec& job, const StrategyOptions& options) {
  if (job.group.machines < 2 || options.on("colocated")) return {};
  return {"uses " + std::to_string(server_count(job, options)) +
          " extra machines as parameter servers (--set colocated=on puts them on the workers)"};
}

}  // namespace paceline
