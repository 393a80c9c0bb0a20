// Overlap is not free: a collective that runs beside kernels holds multiprocessors and moves memory
// traffic of its own, so the kernels slow down. Both are shared resources of the device, and the
// slow-down falls out of max-min sharing. docs/models/overlap.md has the model, its parameters and
// what it was compared with.
#pragma once

#include <string>
#include <vector>

#include "core/units.h"
#include "model/collective/overlap_catalog.h"
#include "simulator/engine/platform.h"

namespace paceline {

struct DeviceCapacity {
  double multiprocessors = 0;
  BytesPerSecond memory_bandwidth;  // that kernels reach, not the data sheet's
};

// What a kernel takes while it runs at full speed, alone on the device.
struct KernelDemand {
  double multiprocessors = 0;       // that its thread blocks fill
  BytesPerSecond memory_bandwidth;  // bytes it moves / its duration
};

// What a collective takes on each device that takes part.
struct CollectiveDemand {
  BytesPerSecond rate;               // of its messages when nothing else runs: links and protocol
  double multiprocessors = 0;        // lost to kernels while it runs at that rate
  double memory_bytes_per_byte = 0;  // memory traffic per byte of message: reads, writes, reduction
  // How much more strongly than kernels it claims what both need: 1 slows both in proportion, large
  // values let the collective run first, as its resident thread blocks do.
  double claim = 1e6;
};

// What the catalog says, on a device, of a collective of so many channels that alone runs at `rate`
// bus bytes a second. It leaves at least a tenth of either resource to kernels.
CollectiveDemand collective_demand(const OverlapDemand& demand, const DeviceCapacity& capacity,
                                   int channels, BytesPerSecond rate);

class SharedDevice {
 public:
  // Adds "<name>/multiprocessors" and "<name>/memory" to the platform. Throws Error (internal) if a
  // capacity is not positive.
  SharedDevice(Platform& platform, const std::string& name, const DeviceCapacity& capacity);

  // The route of a stretchable task that runs this kernel. Throws Error (internal) if the demand is
  // zero, negative, or exceeds the device.
  RouteId add_kernel(Platform& platform, std::string name, const KernelDemand& demand) const;
  // What a message of the collective takes of this device, to be appended to the links of its
  // route; set the route's rate_cap to `rate` and its share to collective_share().
  std::vector<RouteUse> collective_uses(const CollectiveDemand& demand) const;
  static double collective_share(const CollectiveDemand& demand) {
    return demand.rate.si() * demand.claim;
  }

 private:
  DeviceCapacity capacity_;
  ResourceId multiprocessors_;
  ResourceId memory_;
};

}  // namespace paceline
