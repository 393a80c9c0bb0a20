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

void add_library(const LibraryBuffers& buffers, StrategyMemory& memory) {
  memory.library_bytes += std::llround(buffers.bytes.si());
  memory.library_below += std::llround(buffers.below.si());
  memory.library_above += std::llround(buffers.above.si());
  if (!buffers.source.empty()) memory.library_source = buffers.source;
}

Bytes largest_owned(const JobSpec& job, std::span<const int> owners) {
  std::vector<Bytes> owned(static_cast<std::size_t>(job.ranks()));
  for (std::size_t i = 0; i < owners.size(); ++i) {
    owned[static_cast<std::size_t>(owners[i])] += job.profile.gradients[i].bytes;
  }
  return *std::ranges::max_element(owned);
}

}  // namespace paceline
