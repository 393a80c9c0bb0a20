// DeepSpeed ZeRO-2: the optimizer's state and gradients are sharded (parts/zero.h).
#include "simulator/strategies/parts/zero.h"

namespace paceline {

void register_zero_2(StrategyRegistry& registry) {
  registry.add("zero-2", "DeepSpeed ZeRO-2: the optimizer's state and gradients are sharded",
               [] { return std::make_unique<const Zero>(2); });
}

}  // namespace paceline
