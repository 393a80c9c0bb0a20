// DeepSpeed ZeRO-1: the optimizer's state is sharded (parts/zero.h).
#include "simulator/strategies/parts/zero.h"

namespace paceline {

void register_zero_1(StrategyRegistry& registry) {
  registry.add("zero-1", "DeepSpeed ZeRO-1: the optimizer's state is sharded",
               [] { return std::make_unique<const Zero>(1); });
}

}  // namespace paceline
