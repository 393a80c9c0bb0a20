#include "simulator/job/contention.h"

#include <algorithm>
#include <cmath>

namespace paceline {

std::optional<CollectiveDemand> Contention::demand(const CollectiveCost& cost,
                                                   double deviations) const {
  if (device.multiprocessors <= 0 || cost.bus_rate.si() <= 0) return std::nullopt;
  OverlapDemand taken = libraries->at(cost.library);
  if (taken.multiprocessors_per_channel <= 0 && taken.memory_bytes_per_byte <= 0) {
    return std::nullopt;
  }
  taken.multiprocessors_per_channel *= std::exp(sd * deviations);
  return collective_demand(taken, device, cost.channels, cost.bus_rate);
}

double slow_down(const Contention& contention, const std::optional<CollectiveDemand>& demand,
                 const ComputeSegment& work) {
  if (!demand || work.time <= Seconds()) return 1;
  const double blocks = demand->multiprocessors / contention.device.multiprocessors;
  const double traffic =
      demand->memory_bytes_per_byte * (demand->rate / contention.device.memory_bandwidth);
  return 1 + (work.compute_bound / work.time) * blocks / (1 - blocks) +
         (work.memory_bound / work.time) * traffic / (1 - traffic);
}

ContendedDevices::ContendedDevices(Platform& platform, const DeviceCapacity& capacity)
    : platform_(platform), capacity_(capacity) {}

ContendedDevices::Device& ContendedDevices::device(int rank) {
  if (const auto known = devices_.find(rank); known != devices_.end()) return known->second;
  const std::string name = "rank" + std::to_string(rank);
  const SharedDevice shared(platform_, name, capacity_);
  const RouteId compute = shared.add_kernel(platform_, name + " compute-bound",
                                            {capacity_.multiprocessors, BytesPerSecond(0)});
  const RouteId memory =
      shared.add_kernel(platform_, name + " memory-bound", {0, capacity_.memory_bandwidth});
  return devices_.emplace(rank, Device{shared, compute, memory, {}}).first->second;
}

RouteId ContendedDevices::collective(int rank, const CollectiveDemand& demand) {
  Device& on = device(rank);
  const BytesPerSecond traffic = demand.memory_bytes_per_byte * demand.rate;
  const std::pair key{demand.multiprocessors, traffic.si()};
  if (const auto known = on.collectives.find(key); known != on.collectives.end()) {
    return known->second;
  }
  // A stretchable task takes its whole demand at full speed; it claims first, as resident blocks
  // do.
  Route route;
  route.name = "rank" + std::to_string(rank) + " collective";
  const BytesPerSecond rate = demand.rate;
  for (RouteUse use : on.shared.collective_uses(demand)) {
    use.weight *= rate.si();
    route.uses.push_back(use);
  }
  route.rate_cap = BytesPerSecond(1);
  route.share = demand.claim;
  return on.collectives[key] = platform_.add_route(std::move(route));
}

}  // namespace paceline
