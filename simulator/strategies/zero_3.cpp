// DeepSpeed ZeRO-3: weights are sharded too and gathered layer by layer (parts/zero.h).
#include "simulator/strategies/parts/zero.h"

namespace paceline {

void register_zero_3(StrategyRegistry& registry) {
  registry.add("zero-3", "DeepSpeed ZeRO-3: weights are sharded too and gathered layer by layer",
               [] { return std::make_unique<const Zero>(3); });
}

}  // namespace paceline
