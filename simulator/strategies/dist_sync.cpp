// MXNet kvstore=dist_sync, summed in host memory, then on servers; every
// machine waits for all others (parts/dist_kvstore.h).
#include "simulator/strategies/parts/dist_kvstore.h"

namespace paceline {

void register_dist_sync(StrategyRegistry& registry) {
  registry.add("dist-sync", "MXNet kvstore=dist_sync, summed in host memory, then on servers",
               [] { return std::make_unique<const DistKvStore>(LocalSum::kOnHost); });
}

}  // namespace paceline
