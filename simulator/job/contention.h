// What the collectives of a job take from the kernels that run beside them on the same device:
// multiprocessors and memory bandwidth (simulator/overlap/shared_device.h, docs/models/overlap.md).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/collective/collective_model.h"
#include "simulator/job/compute_profile.h"
#include "simulator/overlap/shared_device.h"

namespace paceline {

// What is shared; a device without multiprocessors (a processor) shares nothing.
struct Contention {
  DeviceCapacity device;
  const OverlapCatalog* libraries = nullptr;
  double sd = 0;  // of ln(multiprocessors that a channel takes)

  // What the collective takes, its multiprocessors exp(sd * deviations) times what is expected.
  // Nothing if nothing is shared, the library works on processors, or it sends nothing.
  std::optional<CollectiveDemand> demand(const CollectiveCost& cost, double deviations) const;
};

// How many times as long the work takes beside the collective: each part by what bounds it.
double slow_down(const Contention& contention, const std::optional<CollectiveDemand>& demand,
                 const ComputeSegment& work);

// Routes of kernels and of collectives on the devices of one job.
class ContendedDevices {
 public:
  ContendedDevices(Platform& platform, const DeviceCapacity& capacity);

  // Of kernels that arithmetic, or memory, bounds alone.
  RouteId compute_bound(int rank) { return device(rank).compute_bound; }
  RouteId memory_bound(int rank) { return device(rank).memory_bound; }
  // Of a stretchable task that is the whole collective.
  RouteId collective(int rank, const CollectiveDemand& demand);

 private:
  struct Device {
    SharedDevice shared;
    RouteId compute_bound;
    RouteId memory_bound;
    std::map<std::pair<double, double>, RouteId> collectives;  // multiprocessors, bytes per second
  };
  Device& device(int rank);

  Platform& platform_;
  DeviceCapacity capacity_;
  std::map<int, Device> devices_;
};

}  // namespace paceline
