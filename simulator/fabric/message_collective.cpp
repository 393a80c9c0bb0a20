#include "simulator/fabric/message_collective.h"

#include <algorithm>

#include "core/error.h"
#include "core/units_text.h"
#include "simulator/engine/engine.h"
#include "simulator/engine/load_recorder.h"
#include "simulator/fabric/fabric_platform.h"

namespace paceline {
namespace {

// Ranks of the fabric, and behind them servers in host memory: of machines after the workers', or
// of the workers' only machine.
class NetworkWithServers : public CollectiveNetwork {
 public:
  NetworkWithServers(FabricPlatform& fabric, const CollectiveGroup& group)
      : fabric_(&fabric), group_(group) {}

  // Shares are those that flows leave each other: none is cut off beforehand.
  RouteId route(int from, int to, int) override {
    const int ranks = group_.ranks();
    if (from >= ranks) return fabric_->host_route(machine_of(from), to, false);
    if (to >= ranks) return fabric_->host_route(machine_of(to), from, true);
    return fabric_->route(from, to, 1);
  }

 private:
  int machine_of(int server) const {
    return group_.machines == 1 ? 0 : group_.machines + server - group_.ranks();
  }

  FabricPlatform* fabric_;
  CollectiveGroup group_;
};

// No algorithm sends more messages than one from every rank to every other and to every server, in
// chunks; most send far fewer.
void check_message_size(const MessageCollective& collective) {
  const CollectiveShape& shape = collective.shape;
  const double ranks = shape.ranks();
  const double most = collective.jobs * ranks * (2 * ranks + 2.0 * shape.servers);
  if (most <= kMostMessages) return;
  throw UsageError(significant(ranks) + " ranks, " + std::to_string(collective.jobs) +
                   " at once, may send " + significant(most) + " messages; at most " +
                   significant(kMostMessages) + " are simulated one by one");
}

std::string in_words(const std::string& resource, int machines) {
  const std::size_t slash = resource.find('/');
  const std::string link = resource.substr(slash + 1);
  return machines == 1 ? link : link + " of " + resource.substr(0, slash);
}

MessageRun run_once(const ClusterSpec& cluster, const StagingModel& staging,
                    const CollectiveAlgorithm& algorithm, const CollectiveShape& shape, int jobs) {
  Platform platform;
  FabricPlatform fabric(platform, cluster, staging);
  NetworkWithServers network(fabric, shape.group);
  TaskGraphBuilder builder;
  std::vector<TaskId> start;
  for (int rank = 0; rank < shape.ranks(); ++rank) start.push_back(builder.add(fixed_task({})));
  CollectiveEmitter emitter(builder, network, {});
  for (int job = 0; job < jobs; ++job) algorithm.emit(shape, start, emitter);
  const TaskGraph graph = std::move(builder).build();
  LoadRecorder loads;
  Observer* const observers[] = {&loads};
  MessageRun run;
  run.time = schedule(graph, platform, observers).makespan.seconds();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    run.messages += graph.record(static_cast<TaskId>(i)).work == WorkKind::kTransfer ? 1 : 0;
  }
  for (std::size_t i = 0; i < platform.resources().size(); ++i) {
    const auto id = static_cast<ResourceId>(i);
    const double busy = loads.total(id) / platform.resource(id).capacity / run.time.si();
    if (busy <= run.busy) continue;
    run.busy = busy;
    run.busiest = in_words(platform.resource(id).name, shape.group.machines);
  }
  return run;
}

}  // namespace

MessageRun run_messages(const ClusterSpec& cluster, const StagingModel& staging,
                        const MessageCollective& collective) {
  const CollectiveShape& shape = collective.shape;
  const auto algorithm = collective_registry().make(collective.algorithm);
  if (const std::string why = algorithm->unsupported(shape); !why.empty()) {
    throw UsageError("--algorithm " + collective.algorithm + ": " + why);
  }
  check_message_size(collective);
  ClusterSpec used = cluster;
  used.machines = shape.group.machines;
  if (used.machines > 1 && algorithm->has_servers()) used.machines += shape.servers;
  MessageRun run = run_once(used, staging, *algorithm, shape, collective.jobs);
  CollectiveShape empty = shape;
  empty.bytes = Bytes(1);
  run.latency =
      std::min(run.time, run_once(used, staging, *algorithm, empty, collective.jobs).time);
  return run;
}

}  // namespace paceline
