#include "simulator/memory/memory_policy.h"

#include <algorithm>

namespace paceline {

void set_categories(MemoryUse& use, const MemoryTape::Usage& usage) {
  const auto of = [&](MemoryKind kind) { return usage[static_cast<std::size_t>(kind)]; };
  use.weights = of(MemoryKind::kWeights);
  use.weight_gradients = of(MemoryKind::kWeightGradients);
  use.optimizer_state = of(MemoryKind::kOptimizerState);
  use.feature_maps = of(MemoryKind::kFeatureMaps);
  use.workspace = of(MemoryKind::kWorkspace);
  use.communication = of(MemoryKind::kCommunication);
  use.input = of(MemoryKind::kInput);
}

MemoryUse use_at_peak(const MemoryTape& tape, Allocator& allocator) {
  const MemoryTape::Peak peak = tape.peak();
  MemoryUse use;
  set_categories(use, peak.usage);
  use.slack = std::max<std::int64_t>(0, replay(tape, allocator) - peak.bytes);
  return use;
}

MemoryPolicyRegistry memory_policy_registry() {
  MemoryPolicyRegistry registry("framework with a memory model");
  register_all(registry);
  return registry;
}

}  // namespace paceline
