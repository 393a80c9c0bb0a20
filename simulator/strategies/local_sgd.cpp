// Local SGD: devices train by themselves and average their weights once in a period
// (Stich, ICLR 2019).
#include "simulator/strategies/parts/periodic.h"

namespace paceline {

void register_local_sgd(StrategyRegistry& registry) {
  registry.add("local-sgd", "local SGD: weights are averaged once in a period",
               [] { return std::make_unique<const PeriodicAveraging>("period", "8", false); });
}

}  // namespace paceline
