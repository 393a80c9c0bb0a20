// TensorFlow's arena, from the rules its source documents (common_runtime/bfc_allocator.cc):
// chunks are multiples of 256 B; free ones lie in bins by powers of two, each sorted by size and
// address; the first that fits is taken, from the request's own bin upwards, and split if it is at
// least twice as large or 128 MiB larger; freed chunks join free neighbours. The arena is as large
// as the highest address that was ever used: what the program needs to run at all.
#include <algorithm>
#include <iterator>
#include <list>
#include <unordered_map>

#include "simulator/memory/allocator.h"
#include "simulator/memory/allocators/free_blocks.h"

namespace paceline {
namespace {

constexpr std::int64_t kUnit = 256;
constexpr std::int64_t kMostWaste = std::int64_t{128} << 20;

class BestFit : public Allocator {
 public:
  void allocate(MemoryTape::BufferId buffer, std::int64_t bytes) override {
    const std::int64_t size = std::max<std::int64_t>(kUnit, (bytes + kUnit - 1) / kUnit * kUnit);
    Place place = free_.take(size).value_or(chunks_.end());
    if (place == chunks_.end()) place = extend(size);
    if (place->size >= 2 * size || place->size - size >= kMostWaste) {
      const Place rest =
          chunks_.insert(std::next(place), {place->address + size, place->size - size, true});
      place->size = size;
      free_.add(rest);
    }
    live_[buffer] = place;
  }

  void free(MemoryTape::BufferId buffer) override {
    const auto found = live_.find(buffer);
    free_.give_back(chunks_, found->second);
    live_.erase(found);
  }

  std::int64_t reserved() const override { return end_; }

 private:
  struct Chunk {
    std::int64_t address, size;
    bool free;
  };
  using Place = std::list<Chunk>::iterator;

  // The arena's end moves; a free chunk there is used first.
  Place extend(std::int64_t size) {
    if (!chunks_.empty() && chunks_.back().free) {
      const Place last = std::prev(chunks_.end());
      free_.remove(last);
      end_ += size - last->size;
      last->size = size;
      return last;
    }
    chunks_.push_back({end_, size, false});
    end_ += size;
    return std::prev(chunks_.end());
  }

  std::int64_t end_ = 0;
  std::list<Chunk> chunks_;
  // Bins grow by factors of two and are searched upwards, smallest chunk first: together, the
  // smallest chunk that is large enough.
  FreeBlocks<Chunk> free_;
  std::unordered_map<MemoryTape::BufferId, Place> live_;
};

}  // namespace

std::unique_ptr<Allocator> make_best_fit_allocator() { return std::make_unique<BestFit>(); }

}  // namespace paceline
