// MXNet kvstore=dist_async, workers do not wait for one another
// (parts/asynchronous.h).
#include "simulator/strategies/parts/asynchronous.h"

namespace paceline {

void register_dist_async(StrategyRegistry& registry) {
  registry.add("dist-async", "MXNet kvstore=dist_async, workers do not wait for one another",
               [] { return std::make_unique<const AsynchronousServers>(); });
}

}  // namespace paceline
