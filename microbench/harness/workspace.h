// Memory that all benchmarks of a run share: mapped once, backed by huge pages where the system
// has them, and touched before use, so that no timed call pays for a page fault. (First touch costs
// 50 to 200 times more than using the memory; a training loop pays it once, a naive benchmark every
// time.)
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/units.h"

namespace paceline {

class Workspace {
 public:
  // Two regions of `region` bytes each. Throws MeasurementError if the memory is not to be had.
  Workspace(Bytes region, Bytes last_level_cache);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Makes the first `bytes` of both regions resident and fills what was not with random values.
  void prepare(std::size_t bytes);
  // Normally distributed values where prepared, never written to.
  std::span<const float> inputs() const;
  // Results of earlier kernels; finite at first, never relied on.
  std::span<float> outputs() const;
  Bytes last_level_cache() const { return last_level_cache_; }

 private:
  std::size_t region_bytes_;
  Bytes last_level_cache_;
  std::byte* memory_ = nullptr;
  std::size_t prepared_ = 0;
  std::vector<float> block_;  // random values, repeated over the regions
};

// Size of the largest data cache of this machine.
Bytes last_level_cache_size();
// Room for the largest kernel of the designs and for rotation through twice the cache.
Bytes default_region(Bytes last_level_cache);

// Keeps the C++ heap resident: freed blocks are never given back, none is mapped on its own, and
// `resident` bytes are touched now. Libraries that return new tensors then find memory as a
// training loop finds it after its first iteration.
void keep_heap_resident(Bytes resident);

}  // namespace paceline
