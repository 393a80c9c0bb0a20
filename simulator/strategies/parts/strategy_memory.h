// What a job's strategy adds to, and takes from, the memory of its fullest device.
#pragma once

#include <span>

#include "model/collective/channel_buffers.h"
#include "simulator/memory/memory_setting.h"
#include "simulator/strategies/strategy.h"

namespace paceline {

// Buffers as the strategy states them, and its shares of the model's state; with one device there
// is nobody to share with.
StrategyMemory strategy_memory(const JobSpec& job, const Strategy& strategy,
                               const StrategyOptions& options);

// Adds what one communicator takes.
void add_library(const LibraryBuffers& buffers, StrategyMemory& memory);

// Bytes of the gradients that the owner with most of them owns.
Bytes largest_owned(const JobSpec& job, std::span<const int> owners);

}  // namespace paceline
