// cudaMalloc itself: small requests are cut from chunks that they share, others take whole units.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "simulator/memory/allocator.h"

namespace paceline {
namespace {

std::int64_t in_units(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Space inside of a chunk is taken to be in one piece.
class Driver : public Allocator {
 public:
  explicit Driver(const DriverUnits& units) : units_(units) {}

  void allocate(MemoryTape::BufferId buffer, std::int64_t bytes) override {
    if (bytes > units_.shared_up_to) {
      const std::int64_t size = in_units(bytes, units_.unit);
      live_[buffer] = {kNoChunk, size};
      take(size);
      return;
    }
    const std::int64_t size = in_units(bytes, units_.granularity);
    auto found = space_.lower_bound(size);
    if (found == space_.end()) {
      found = space_.emplace(units_.chunk, chunks_.size());
      chunks_.push_back(units_.chunk);
      take(units_.chunk);
    }
    const std::size_t chunk = found->second;
    space_.erase(found);
    set_space(chunk, chunks_[chunk] - size);
    live_[buffer] = {static_cast<std::int64_t>(chunk), size};
  }

  void free(MemoryTape::BufferId buffer) override {
    const auto [chunk, size] = live_.at(buffer);
    live_.erase(buffer);
    if (chunk == kNoChunk) {
      held_ -= size;
      return;
    }
    const auto index = static_cast<std::size_t>(chunk);
    const auto [begin, end] = space_.equal_range(chunks_[index]);
    space_.erase(std::find_if(begin, end, [&](const auto& at) { return at.second == index; }));
    if (chunks_[index] + size == units_.chunk) {
      held_ -= units_.chunk;  // goes back
    } else {
      set_space(index, chunks_[index] + size);
    }
  }

  std::int64_t reserved() const override { return most_; }

 private:
  static constexpr std::int64_t kNoChunk = -1;
  struct Request {
    std::int64_t chunk;
    std::int64_t size;
  };

  void take(std::int64_t bytes) {
    held_ += bytes;
    most_ = std::max(most_, held_);
  }
  void set_space(std::size_t chunk, std::int64_t bytes) {
    chunks_[chunk] = bytes;
    space_.emplace(bytes, chunk);
  }

  DriverUnits units_;
  std::int64_t held_ = 0, most_ = 0;
  std::unordered_map<MemoryTape::BufferId, Request> live_;
  std::vector<std::int64_t> chunks_;                // bytes that are left
  std::multimap<std::int64_t, std::size_t> space_;  // chunks by what is left
};

}  // namespace

std::unique_ptr<Allocator> make_driver_allocator(const DriverUnits& units) {
  return std::make_unique<Driver>(units);
}

}  // namespace paceline
