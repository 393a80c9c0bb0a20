// MXNet kvstore=dist_device_sync, summed on devices, then on servers; every
// machine waits for all others (parts/dist_kvstore.h).
#include "simulator/strategies/parts/dist_kvstore.h"

namespace paceline {

void register_dist_device_sync(StrategyRegistry& registry) {
  registry.add("dist-device-sync",
               "MXNet kvstore=dist_device_sync, summed on devices, then on servers",
               [] { return std::make_unique<const DistKvStore>(LocalSum::kOnDevices); });
}

}  // namespace paceline
