#include "simulator/fabric/concurrent_copies.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "simulator/engine/engine.h"

namespace paceline {
namespace {

// Whose time for all the bytes that cross it is longest.
std::string busiest_link(const ClusterSpec& cluster, const StagingModel& staging,
                         const std::vector<CopyOverPath>& copies) {
  const MachinePaths paths(cluster.machine, staging);
  std::map<std::pair<std::size_t, bool>, double> loads;
  PathHop busiest;
  double most = 0;
  for (const CopyOverPath& copy : copies) {
    for (const PathHop& hop : copy.path.hops) {
      double& load = loads[{hop.link.link, hop.link.forward}];
      load += hop.weight / cluster.machine.links[hop.link.link].link.achieved.si();
      if (load <= most) continue;
      most = load;
      busiest = hop;
    }
  }
  return paths.describe(busiest);
}

}  // namespace

ConcurrentCopies time_of_copies(const ClusterSpec& cluster, const StagingModel& staging,
                                const std::vector<CopyOverPath>& copies, Bytes bytes) {
  PACELINE_ASSERT(!copies.empty(), "there is a copy");
  Platform platform;
  const FabricPlatform fabric(platform, cluster, staging, 1);
  TaskGraphBuilder builder;
  Seconds slowest;
  for (const CopyOverPath& copy : copies) {
    Route route = fabric.path_route(0, copy.path);
    // Start-up takes no bandwidth: what is left is the copy's own rate.
    route.latency = std::min(copy.path.latency, copy.alone * 0.999);
    route.rate_cap = bytes / (copy.alone - route.latency);
    builder.add(transfer_task(bytes, platform.add_route(std::move(route))));
    slowest = std::max(slowest, copy.alone);
  }
  ConcurrentCopies out;
  out.time = schedule(std::move(builder).build(), platform).makespan.seconds();
  constexpr double kNoticeable = 1.001;
  out.is_contended = out.time > slowest * kNoticeable;
  out.shared = busiest_link(cluster, staging, copies);
  return out;
}

}  // namespace paceline
