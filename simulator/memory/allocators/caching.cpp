// PyTorch's CUDA caching allocator, from the rules its source documents (c10/cuda
// CUDACachingAllocator.cpp): sizes are multiples of 512 B; requests up to 1 MiB are cut from
// segments of 2 MiB, those below 10 MiB from segments of 20 MiB, larger ones get a segment of their
// own, a multiple of 2 MiB; the smallest free block that is large enough is taken, split if what is
// left is worth it, and joined with free neighbours of its segment when it comes back. Segments are
// kept, but where the device has no more, those that are free as a whole go back to it
// (release_cached_blocks).
#include <algorithm>
#include <iterator>
#include <list>
#include <optional>
#include <unordered_map>

#include "simulator/memory/allocator.h"
#include "simulator/memory/allocators/free_blocks.h"

namespace paceline {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kMinBlockSize = 512;
constexpr std::int64_t kSmallSize = kMiB;
constexpr std::int64_t kSmallBuffer = 2 * kMiB;
constexpr std::int64_t kLargeBuffer = 20 * kMiB;
constexpr std::int64_t kMinLargeAlloc = 10 * kMiB;
constexpr std::int64_t kRoundLarge = 2 * kMiB;

std::int64_t round_up(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

class Caching : public Allocator {
 public:
  explicit Caching(std::int64_t limit) : limit_(limit) {}

  void allocate(MemoryTape::BufferId buffer, std::int64_t bytes) override {
    const std::int64_t size = std::max(kMinBlockSize, round_up(bytes, kMinBlockSize));
    const bool small = size <= kSmallSize;
    auto& pool = small ? small_ : large_;
    const std::optional<Place> found = pool.take(size);
    const Place place = found ? *found : new_segment(segment_size(size));
    Block& block = *place;
    block.small = small;
    const std::int64_t remaining = block.size - size;
    if (small ? remaining >= kMinBlockSize : remaining > kSmallSize) {
      Segment& segment = segments_[block.segment];
      const Place rest = segment.insert(
          std::next(place), {block.address + size, remaining, block.segment, true, small});
      block.size = size;
      pool.add(rest);
    }
    live_[buffer] = place;
  }

  void free(MemoryTape::BufferId buffer) override {
    const auto found = live_.find(buffer);
    const Place place = found->second;
    live_.erase(found);
    pool_of(place).give_back(segments_[place->segment], place);
  }

  std::int64_t reserved() const override { return largest_; }

 private:
  struct Block {
    std::int64_t address, size;
    std::size_t segment;
    bool free, small;
  };
  using Segment = std::list<Block>;
  using Place = Segment::iterator;
  static std::int64_t segment_size(std::int64_t size) {
    if (size <= kSmallSize) return kSmallBuffer;
    return size < kMinLargeAlloc ? kLargeBuffer : round_up(size, kRoundLarge);
  }
  Place new_segment(std::int64_t size) {
    if (reserved_ > limit_ - size) release_free_segments();
    segments_.push_back({{next_address_, size, segments_.size(), false, false}});
    next_address_ += size;
    reserved_ += size;
    largest_ = std::max(largest_, reserved_);
    return segments_.back().begin();
  }
  void release_free_segments() {
    for (Segment& segment : segments_) {
      if (segment.size() != 1 || !segment.front().free) continue;
      pool_of(segment.begin()).remove(segment.begin());
      reserved_ -= segment.front().size;
      segment.clear();
    }
  }
  // All blocks of a segment are of one pool.
  FreeBlocks<Block>& pool_of(Place place) { return place->small ? small_ : large_; }

  std::int64_t limit_;
  std::int64_t reserved_ = 0, largest_ = 0, next_address_ = 0;
  std::vector<Segment> segments_;
  FreeBlocks<Block> small_, large_;
  std::unordered_map<MemoryTape::BufferId, Place> live_;
};

}  // namespace

std::unique_ptr<Allocator> make_caching_allocator(std::int64_t limit) {
  return std::make_unique<Caching>(limit);
}

}  // namespace paceline
