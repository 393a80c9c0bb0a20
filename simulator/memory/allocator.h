// How a framework's allocator turns requests into device memory. One file in allocators/ per
// algorithm; each replays a tape.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "simulator/memory/driver_units.h"
#include "simulator/memory/memory_tape.h"

namespace paceline {

inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void allocate(MemoryTape::BufferId buffer, std::int64_t bytes) = 0;
  virtual void free(MemoryTape::BufferId buffer) = 0;
  // The most device memory that it has held at once.
  virtual std::int64_t reserved() const = 0;
};

// Device memory held after the whole tape went through the allocator.
std::int64_t replay(const MemoryTape& tape, Allocator& allocator);

// PyTorch's CUDA caching allocator: allocators/caching.cpp. Beyond `limit` bytes it first gives
// back what it holds and nobody uses, as it does when the device has no more.
std::unique_ptr<Allocator> make_caching_allocator(std::int64_t limit = kNoLimit);
// TensorFlow's best-fit-with-coalescing arena: allocators/best_fit_coalescing.cpp.
std::unique_ptr<Allocator> make_best_fit_allocator();
// cudaMalloc: allocators/driver.cpp.
std::unique_ptr<Allocator> make_driver_allocator(const DriverUnits& units);
// Every request separately, rounded up to `granularity`, and above `large` to whole `large` units
// (0: no such step); freed memory serves later requests of the same rounded size only if `pooled`,
// else goes back: allocators/rounding.cpp.
std::unique_ptr<Allocator> make_rounding_allocator(std::int64_t granularity, std::int64_t large,
                                                   bool pooled);

}  // namespace paceline
