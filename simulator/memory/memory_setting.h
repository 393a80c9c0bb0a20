// Everything beside the graph that decides how much memory an iteration takes.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "core/units.h"
#include "model/hardware/device_spec.h"
#include "model/kernel/kernel.h"
#include "simulator/memory/driver_units.h"

namespace paceline {

// Bytes per parameter. fp32 training has 4 and 4; mixed precision by autocast the same, its 16-bit
// copies live on the tape; 16-bit weights have an fp32 copy in the optimizer (`master`).
struct ModelStateSizes {
  double weight = 4;
  double gradient = 4;
  double master = 0;
  double optimizer = 0;  // 4 per state tensor: momentum 1, Adam 2
  bool casts = false;    // fp32 weights are converted to 16 bits for every use (autocast)
};

// What a strategy keeps on the fullest device; filled by strategies/parts/strategy_memory.h.
struct StrategyMemory {
  // Persistent buffers: buckets, fusion buffers, receive buffers, gathered weights.
  std::int64_t communication_bytes = 0;
  // What the library of collectives takes from the driver itself: buffers of its channels.
  std::int64_t library_bytes = 0;
  // How much less or more of it other versions and settings take, and where that is from.
  std::int64_t library_below = 0, library_above = 0;
  std::string library_source{};
  // Shares of the model's state that stay on one device (ZeRO, FSDP, key-balanced stores).
  double weights = 1;
  double gradients = 1;
  double optimizer_state = 1;
  // Shares of 16-bit training are fp32: what is gathered is cast.
  bool casts_when_gathered = false;
};

// Which parts of an iteration run: all of it; no update, so that there is no optimizer; or forward
// alone, which is inference: nothing is kept, no gradient exists, dropout and the loss are not run.
enum class TracedPhases { kTraining, kForwardBackward, kForward };

struct MemorySetting {
  DeviceKind device = DeviceKind::kGpu;
  TracedPhases phases = TracedPhases::kTraining;
  int threads = 1;  // of a CPU
  // Scratch of one library call; empty: none is taken.
  std::function<Bytes(const Kernel&)> workspace;
  ModelStateSizes state;
  StrategyMemory strategy;
  // What the framework's allocator may hold: the device without context and library.
  std::int64_t allocator_limit = std::numeric_limits<std::int64_t>::max();
  DriverUnits driver;  // of a GPU
};

}  // namespace paceline
