#include "cli/collective_by_messages.h"

#include <algorithm>

#include "core/names.h"
#include "core/percent.h"
#include "model/hardware/copy_model.h"
#include "simulator/fabric/message_collective.h"

namespace paceline {
namespace {

constexpr std::int64_t kMostServers = 1000;

void refuse_flags_of_libraries(const Arguments& arguments, const std::string& algorithm) {
  for (const char* flag : {"library", "protocol", "parameters"}) {
    if (!arguments.has(flag)) continue;
    throw UsageError(std::string("--") + flag + " has no effect on " + algorithm +
                     ", which is simulated message by message, as no library runs it");
  }
  for (const std::string& setting : arguments.all("set")) {
    if (!setting.starts_with("connections=")) continue;
    throw UsageError("--set " + setting + " has no effect on " + algorithm +
                     ": each of its messages has a connection of its own");
  }
}

int servers_of(const Arguments& arguments, const CollectiveAlgorithm& algorithm,
               const std::string& name, const CollectiveGroup& group) {
  if (!algorithm.has_servers()) {
    if (arguments.has("servers")) throw UsageError("--servers: " + name + " has no servers");
    return 0;
  }
  if (group.machines == 1 && arguments.has("servers")) {
    throw UsageError("--servers: inside one machine the server is its host memory");
  }
  return static_cast<int>(arguments.count_or("servers", group.machines, kMostServers));
}

std::vector<std::string> warnings_of(const std::string& algorithm, const CollectiveGroup& group,
                                     const ClusterSpec& cluster, int servers) {
  std::vector<std::string> warnings = {
      "messages at the rates and latencies of the links: no library's protocol, launch or "
      "additions"};
  if (servers > 0 && group.machines > 1) {
    warnings.push_back(std::to_string(servers) + " further machines are the servers (--servers N)");
  }
  if (algorithm == "sharp" && cluster.network && cluster.network->kind != LinkKind::kInfiniband) {
    warnings.push_back("switches of " + cluster.network->name + " that add are assumed");
  }
  return warnings;
}

}  // namespace

bool is_by_messages(const Arguments& arguments) {
  const auto name = arguments.find("algorithm");
  if (!name) return false;
  const std::vector<std::string> of_nccl = nccl_algorithm_names();
  const auto is_it = [&](const std::string& known) { return same_name(known, *name); };
  if (std::ranges::any_of(of_nccl, is_it)) return false;
  const CollectiveRegistry registry = collective_registry();
  if (registry.find(*name) != nullptr) return true;
  std::vector<std::string> known = of_nccl;
  for (const std::string& other : registry.names()) {
    if (std::ranges::find(known, other) == known.end()) known.push_back(other);
  }
  throw UsageError(unknown_name_message("algorithm", *name, known));
}

CollectiveCost cost_by_messages(const Arguments& arguments, const CollectiveCall& call,
                                const ClusterChoice& choice, int jobs) {
  const CollectiveRegistry registry = collective_registry();
  const std::string name = registry.find(arguments.text("algorithm"))->name;
  refuse_flags_of_libraries(arguments, name);
  if (call.group.ranks() < 2) {
    throw UsageError("a collective needs at least 2 ranks, found " +
                     std::to_string(call.group.ranks()));
  }
  MessageCollective collective;
  collective.algorithm = name;
  collective.jobs = jobs;
  collective.shape.op = call.op;
  collective.shape.bytes = call.bytes;
  collective.shape.group = call.group;
  const auto algorithm = registry.make(name);
  collective.shape.servers = servers_of(arguments, *algorithm, name, call.group);
  if (algorithm->has_servers()) collective.shape.servers = std::max(1, collective.shape.servers);
  const MessageRun run = run_messages(choice.cluster, CopyModel::shipped().staging(), collective);
  CollectiveCost cost;
  cost.time = run.time;
  cost.latency = run.latency;
  cost.sd = NcclTuning::shipped().prior().sd;
  cost.algorithm = name;
  cost.protocol = "none";
  cost.algorithm_rate = call.bytes / cost.time;
  cost.bus_rate = cost.algorithm_rate * bus_factor(call.op, call.group.ranks());
  cost.bottleneck = cost.latency.si() > 0.5 * cost.time.si()
                        ? "latency of messages that wait for each other"
                        : run.busiest + ", busy " + percent(run.busy, 3) + " of the time";
  cost.origin = {OriginKind::kDataSheet, "link rates of the catalog, " +
                                             std::to_string(run.messages) + " messages simulated"};
  cost.warnings = warnings_of(name, call.group, choice.cluster, collective.shape.servers);
  return cost;
}

}  // namespace paceline
