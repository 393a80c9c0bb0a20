#include "simulator/strategies/strategy.h"

namespace paceline {

StrategyRegistry strategy_registry() {
  StrategyRegistry registry("strategy");
  register_all(registry);
  return registry;
}

std::vector<StrategyOption> common_options(const Strategy& strategy) {
  const bool every = strategy.synchronizes_every_micro_batch();
  std::vector<StrategyOption> options = {
      {.name = "sync",
       .kind = OptionKind::kChoice,
       .fallback = every ? "every" : "last",
       .choices = {"every", "last"},
       .summary = "which micro-batches of --grad-accum aggregate their gradients",
       .example = every ? "last" : "every"},
      {.name = "sync_time",
       .kind = OptionKind::kSeconds,
       .fallback = "",
       .choices = {},
       .summary = "measured time of one synchronization with its update, instead of the "
                  "mechanism; nothing overlaps it",
       .example = "11.4 s"}};
  if (!strategy.synchronizes_gradients()) options.clear();
  return options;
}

std::vector<StrategyOption> all_options(const Strategy& strategy) {
  std::vector<StrategyOption> options = strategy.options();
  for (StrategyOption& option : common_options(strategy)) options.push_back(std::move(option));
  return options;
}

}  // namespace paceline
