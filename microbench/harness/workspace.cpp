#include "microbench/harness/workspace.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "core/error.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// One block of random values, repeated: filling hundreds of MB with a generator takes seconds.
std::vector<float> random_block() {
  std::vector<float> block((std::size_t{4} << 20) / sizeof(float));
  std::mt19937 generator(1);  // the values only have to be the same in every run
  std::normal_distribution<float> normal;
  for (float& value : block) value = normal(generator);
  return block;
}

}  // namespace

Workspace::Workspace(Bytes region, Bytes last_level_cache)
    : region_bytes_(static_cast<std::size_t>(region.si()) / kHugePage * kHugePage),
      last_level_cache_(last_level_cache),
      block_(random_block()) {
  void* mapped =
      mmap(nullptr, 2 * region_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    throw MeasurementError("cannot map " + to_text(2 * region) + " for the benchmarks");
  }
  memory_ = static_cast<std::byte*>(mapped);
  madvise(mapped, 2 * region_bytes_, MADV_HUGEPAGE);
}

Workspace::~Workspace() { munmap(memory_, 2 * region_bytes_); }

void Workspace::prepare(std::size_t bytes) {
  const std::size_t block = block_.size() * sizeof(float);
  for (const std::size_t end = std::min(bytes, region_bytes_); prepared_ < end;) {
    const std::size_t count = std::min(block, region_bytes_ - prepared_);
    std::memcpy(memory_ + prepared_, block_.data(), count);
    std::memcpy(memory_ + region_bytes_ + prepared_, block_.data(), count);
    prepared_ += count;
  }
}

std::span<const float> Workspace::inputs() const {
  return {reinterpret_cast<const float*>(memory_), region_bytes_ / sizeof(float)};
}

std::span<float> Workspace::outputs() const {
  return {reinterpret_cast<float*>(memory_ + region_bytes_), region_bytes_ / sizeof(float)};
}

Bytes last_level_cache_size() {
  const long size = std::max({sysconf(_SC_LEVEL4_CACHE_SIZE), sysconf(_SC_LEVEL3_CACHE_SIZE),
                              sysconf(_SC_LEVEL2_CACHE_SIZE)});
  if (size <= 0) throw MeasurementError("the size of the last-level cache is not known");
  return Bytes(static_cast<double>(size));
}

Bytes default_region(Bytes last_level_cache) { return Bytes(256e6) + 4 * last_level_cache; }

void keep_heap_resident(Bytes resident) {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  const std::size_t bytes = static_cast<std::size_t>(resident.si());
  const std::unique_ptr<void, decltype(&std::free)> block(std::malloc(bytes), &std::free);
  if (!block) throw MeasurementError("cannot allocate " + to_text(resident));
  void* aligned = block.get();
  std::size_t space = bytes;
  if (std::align(kHugePage, kHugePage, aligned, space)) madvise(aligned, space, MADV_HUGEPAGE);
  // Through a volatile pointer: a compiler may drop stores to memory that is freed unread.
  volatile std::byte* touch = static_cast<std::byte*>(block.get());
  for (std::size_t offset = 0; offset < bytes; offset += 4096) touch[offset] = std::byte{1};
}

}  // namespace paceline
