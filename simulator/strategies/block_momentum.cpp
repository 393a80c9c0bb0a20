// CNTK's block momentum (Chen and Huo, ICASSP 2016; SGDLib/BlockMomentumSGD.h): devices train a
// block of minibatches by themselves, then average and take a momentum step over blocks.
#include "simulator/strategies/parts/periodic.h"

namespace paceline {

void register_block_momentum(StrategyRegistry& registry) {
  registry.add("block-momentum",
               "CNTK block momentum: averages and a momentum step once in a block",
               [] { return std::make_unique<const PeriodicAveraging>("block_size", "16", true); });
}

}  // namespace paceline
