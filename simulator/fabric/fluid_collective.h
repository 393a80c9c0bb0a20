// A collective in a simulation without its messages: one transfer of its bus bytes over the links
// of a ring, after its start-up. Alone it takes the time that the cost model says
// (model/collective/collective_model.h), to a picosecond; beside other traffic it shares links, and
// beside kernels it may take part of the devices (simulator/overlap/shared_device.h).
//
// Why one fluid: messages of a library are pipelined over many channels, so what others take of a
// link slows the whole collective. Start-up time is not stretched by contention. docs/models/
// collectives.md compares with jobs measured side by side.
#pragma once

#include <vector>

#include "simulator/fabric/fabric_platform.h"

namespace paceline {

struct FluidCollective {
  CollectiveGroup group;
  Seconds latency;  // start-up; takes no bandwidth
  Seconds alone;    // the whole time when nothing else runs
  Bytes volume;     // size times bus_factor()
  // What a byte of volume takes of devices: SharedDevice::collective_uses, and its share.
  std::vector<RouteUse> device_uses = {};
  double share = 1;
};

// The task; `platform` is the one of `fabric`. Throws Error (internal) if the latency exceeds the
// time alone or the volume is not positive.
Task fluid_collective_task(Platform& platform, const FabricPlatform& fabric,
                           const FluidCollective& collective, ResourceId resource = kNoResource,
                           const Label& label = {});

// Time until `jobs` equal collectives that start at once over the same ranks have all ended. The
// ranks fill machines that do the same, so one machine stands for all.
Seconds time_side_by_side(const ClusterSpec& cluster, const StagingModel& staging,
                          const FluidCollective& collective, int jobs);

}  // namespace paceline
