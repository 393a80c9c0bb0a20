#include "simulator/overlap/shared_device.h"

#include <algorithm>

#include "core/error.h"

namespace paceline {

CollectiveDemand collective_demand(const OverlapDemand& demand, const DeviceCapacity& capacity,
                                   int channels, BytesPerSecond rate) {
  constexpr double kMost = 0.9;  // of a device: kernels that wait for blocks get some in between
  CollectiveDemand out;
  out.rate = rate;
  out.multiprocessors =
      std::min(demand.multiprocessors_per_channel * channels, kMost * capacity.multiprocessors);
  out.memory_bytes_per_byte =
      std::min(demand.memory_bytes_per_byte, kMost * (capacity.memory_bandwidth / rate));
  return out;
}

SharedDevice::SharedDevice(Platform& platform, const std::string& name,
                           const DeviceCapacity& capacity)
    : capacity_(capacity),
      multiprocessors_(platform.add_shared(name + "/multiprocessors", capacity.multiprocessors,
                                           "multiprocessors")),
      memory_(platform.add_link(name + "/memory", capacity.memory_bandwidth)) {}

RouteId SharedDevice::add_kernel(Platform& platform, std::string name,
                                 const KernelDemand& demand) const {
  // A demand at the device's limit may exceed it by rounding.
  constexpr double kRounding = 1 + 1e-9;
  PACELINE_ASSERT(demand.multiprocessors >= 0 &&
                      demand.multiprocessors <= capacity_.multiprocessors * kRounding,
                  "a kernel fills no more multiprocessors than there are");
  PACELINE_ASSERT(demand.memory_bandwidth.si() >= 0 &&
                      demand.memory_bandwidth <= capacity_.memory_bandwidth * kRounding,
                  "a kernel moves no more bytes than the memory can");
  std::vector<RouteUse> uses;
  if (demand.multiprocessors > 0) uses.push_back({multiprocessors_, demand.multiprocessors});
  if (demand.memory_bandwidth.si() > 0) uses.push_back({memory_, demand.memory_bandwidth.si()});
  PACELINE_ASSERT(!uses.empty(), "a kernel needs multiprocessors or memory");
  Route route;
  route.name = std::move(name);
  route.uses = std::move(uses);
  route.rate_cap = BytesPerSecond(1);
  return platform.add_route(std::move(route));
}

std::vector<RouteUse> SharedDevice::collective_uses(const CollectiveDemand& demand) const {
  PACELINE_ASSERT(demand.rate.si() > 0 && demand.claim > 0, "a collective has a rate and a claim");
  PACELINE_ASSERT(demand.multiprocessors >= 0 && demand.memory_bytes_per_byte >= 0,
                  "what a collective takes is not negative");
  std::vector<RouteUse> uses;
  if (demand.multiprocessors > 0) {
    uses.push_back({multiprocessors_, demand.multiprocessors / demand.rate.si()});
  }
  if (demand.memory_bytes_per_byte > 0) uses.push_back({memory_, demand.memory_bytes_per_byte});
  return uses;
}

}  // namespace paceline
