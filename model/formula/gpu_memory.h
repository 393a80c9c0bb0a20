// Time for a GPU kernel to move its compulsory bytes Q, part of which may be found in the
// last-level cache, `reuse_distance` bytes having been touched since its operands were last used:
//
//   T_m = Q ( miss / (share W) + (1 - miss) / (share W + cache_rate S f) ) / grid(n_b)
//   miss = 1 / (1 + (cache_fit L2 / max(Q, reuse_distance))^3)
//   grid(n_b) = min(1, n_b / (saturation S))
//
// W is the data-sheet bandwidth and L2 the cache size; `share` of W is reached by large transfers,
// `cache_fit` of the cache holds what the previous kernel (or the previous iteration of a
// benchmark) left, and from the cache each of the S multiprocessors, clocked at f, gets
// `cache_rate` bytes a clock more: the ports of a cache go with the multiprocessors, not with the
// memory behind it. A grid of n_b blocks on S multiprocessors has too few loads in flight to reach
// the full rate (Little's law); `saturation` blocks per multiprocessor do. The exponent 3 is how
// sharply hits disappear around cache_fit. Derivation and evidence: docs/models/gpu-memory.md.
#pragma once

#include <algorithm>

#include "model/formula/cache_traffic.h"
#include "model/formula/gpu_device.h"

namespace paceline::formula {

template <typename T>
struct GpuMemory {
  T share;
  T cache_fit;
  T cache_rate;  // bytes per clock and multiprocessor beyond the rate of memory
};

template <typename T>
T gpu_memory_time(double bytes, double reuse_distance, const GpuDevice& device,
                  const GpuMemory<T>& memory) {
  const T miss =
      miss_share(std::max(bytes, reuse_distance), T(memory.cache_fit * device.cache), T(3.0));
  const T rate = memory.share * device.bandwidth;
  const T cached = rate + memory.cache_rate * (device.multiprocessors * device.clock);
  return bytes * (miss / rate + (1.0 - miss) / cached);
}

// Slow-down of memory traffic by a grid of `blocks`; 1 for a grid that fills the device.
template <typename T>
T small_grid(double blocks, const GpuDevice& device, const T& saturation) {
  const T needed = saturation * device.multiprocessors;
  return blocks < plain(needed) ? T(needed / blocks) : T(1.0);
}

}  // namespace paceline::formula
