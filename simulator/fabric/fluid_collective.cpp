#include "simulator/fabric/fluid_collective.h"

#include "core/error.h"
#include "simulator/engine/engine.h"

namespace paceline {

Task fluid_collective_task(Platform& platform, const FabricPlatform& fabric,
                           const FluidCollective& collective, ResourceId resource,
                           const Label& label) {
  PACELINE_ASSERT(collective.latency.si() >= 0 && collective.latency <= collective.alone,
                  "start-up is part of the time alone");
  PACELINE_ASSERT(collective.volume.si() > 0, "a collective moves bytes");
  const Seconds moving = collective.alone - collective.latency;
  if (moving.si() <= 0) return fixed_task(SimTime::from(collective.alone), resource, label);
  Route route = fabric.ring_transfer(collective.group, collective.volume / moving);
  route.latency = collective.latency;
  route.share = collective.share;
  route.uses.insert(route.uses.end(), collective.device_uses.begin(), collective.device_uses.end());
  return transfer_task(collective.volume, platform.add_route(std::move(route)), resource, label);
}

Seconds time_side_by_side(const ClusterSpec& cluster, const StagingModel& staging,
                          const FluidCollective& collective, int jobs) {
  Platform platform;
  const FabricPlatform fabric(platform, cluster, staging, 1);
  TaskGraphBuilder builder;
  for (int job = 0; job < jobs; ++job) {
    builder.add(fluid_collective_task(platform, fabric, collective));
  }
  return schedule(std::move(builder).build(), platform).makespan.seconds();
}

}  // namespace paceline
