// Requests rounded up one by one: cudaMalloc itself, MXNet's pool, malloc of a CPU.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "simulator/memory/allocator.h"

namespace paceline {
namespace {

class Rounding : public Allocator {
 public:
  Rounding(std::int64_t granularity, std::int64_t large, bool pooled)
      : granularity_(granularity), large_(large), pooled_(pooled) {}

  void allocate(MemoryTape::BufferId buffer, std::int64_t bytes) override {
    const std::int64_t size = rounded(bytes);
    live_[buffer] = size;
    auto& spare = spare_[size];
    if (spare > 0) {
      --spare;
      return;
    }
    held_ += size;
    largest_ = std::max(largest_, held_);
  }
  void free(MemoryTape::BufferId buffer) override {
    const auto found = live_.find(buffer);
    if (pooled_) {
      ++spare_[found->second];
    } else {
      held_ -= found->second;
    }
    live_.erase(found);
  }
  std::int64_t reserved() const override { return largest_; }

 private:
  std::int64_t rounded(std::int64_t bytes) const {
    const std::int64_t unit = large_ > 0 && bytes > large_ ? large_ : granularity_;
    return (bytes + unit - 1) / unit * unit;
  }

  std::int64_t granularity_, large_;
  bool pooled_;
  std::int64_t held_ = 0, largest_ = 0;
  std::unordered_map<MemoryTape::BufferId, std::int64_t> live_;
  std::map<std::int64_t, std::int64_t> spare_;  // by size: how many
};

}  // namespace

std::unique_ptr<Allocator> make_rounding_allocator(std::int64_t granularity, std::int64_t large,
                                                   bool pooled) {
  return std::make_unique<Rounding>(granularity, large, pooled);
}

std::int64_t replay(const MemoryTape& tape, Allocator& allocator) {
  for (const MemoryTape::Event& event : tape.events()) {
    if (event.allocates) {
      allocator.allocate(event.buffer, tape.buffers()[event.buffer].bytes);
    } else {
      allocator.free(event.buffer);
    }
  }
  return allocator.reserved();
}

}  // namespace paceline
