#include "simulator/strategies/parts/strategy_memory.h"

#include <algorithm>
#include <cmath>

namespace paceline {

StrategyMemory strategy_memory(const JobSpec& job, const Strategy& strategy,
                               const StrategyOptions& options) {
  StrategyMemory out;
  out.communication_bytes = std::llround(strategy.buffers(job, options).si());
  if (job.ranks() < 2) return out;
  const Strategy::Shares shares = strategy.shares(job, options);
  out.weights = shares.weights;
  out.gradients = shares.gradients;
  out.optimizer_state = shares.optimizer_state;
  out.casts_when_gathered = shares.casts_when_gathered;
  return out;
}

Bytes largest_owned(const JobSpec& job, std::span<const int> owners) {
  std::vector<Bytes> owned(static_cast<std::size_t>(job.ranks()));
  for (std::size_t i = 0; i < owners.size(); ++i) {
    owned[static_cast<std::size_t>(owners[i])] += job.profile.gradients[i].bytes;
  }
  return *std::ranges::max_element(owned);
}

}  // namespace paceline
