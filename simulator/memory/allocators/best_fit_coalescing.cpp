// TensorFlow's arena, from the rules its source documents (common_runtime/bfc_allocator.cc):
// chunks are multiples of 256 B; free ones lie in bins by powers of two, each sorted by size and
// address; the first that fits is taken, from the request's own bin upwards, and split if it is at
// least twice as large or 128 MiB larger; freed chunks join free neighbours. The arena is as large
// as the highest address that was ever used: what the program needs to run at all.
#include <algorithm>
#include <iterator>
#include <list>
#include <set>
#include <unordered_map>

#include "simulator/memory/allocator.h"

namespace paceline {
namespace {

constexpr std::int64_t kUnit = 256;
constexpr std::int64_t kMostWaste = std::int64_t{128} << 20;

class BestFit : public Allocator {
 public:
  void allocate(MemoryTape::BufferId buffer, std::int64_t bytes) override {
    const std::int64_t size = std::max<std::int64_t>(kUnit, (bytes + kUnit - 1) / kUnit * kUnit);
    const auto found = free_.lower_bound({size, 0});
    Place place;
    if (found == free_.end()) {
      place = extend(size);
    } else {
      place = found->place;
      free_.erase(found);
    }
    if (place->size >= 2 * size || place->size - size >= kMostWaste) {
      const Place rest =
          chunks_.insert(std::next(place), {place->address + size, place->size - size, true});
      place->size = size;
      add_free(rest);
    }
    place->free = false;
    live_[buffer] = place;
  }

  void free(MemoryTape::BufferId buffer) override {
    const auto found = live_.find(buffer);
    Place place = found->second;
    live_.erase(found);
    place->free = true;
    if (const Place next = std::next(place); next != chunks_.end() && next->free) {
      free_.erase({next->size, next->address});
      place->size += next->size;
      chunks_.erase(next);
    }
    if (place != chunks_.begin()) {
      if (const Place before = std::prev(place); before->free) {
        free_.erase({before->size, before->address});
        before->size += place->size;
        chunks_.erase(place);
        place = before;
      }
    }
    add_free(place);
  }

  std::int64_t reserved() const override { return end_; }

 private:
  struct Chunk {
    std::int64_t address, size;
    bool free;
  };
  using Place = std::list<Chunk>::iterator;
  // Bins grow by factors of two and are searched upwards, smallest chunk first: together, the
  // smallest chunk that is large enough, of equal ones the one at the lowest address.
  struct Free {
    std::int64_t size, address;
    Place place{};
    Free(std::int64_t s, std::int64_t a) : size(s), address(a) {}
    Free(std::int64_t s, std::int64_t a, Place p) : size(s), address(a), place(p) {}
    bool operator<(const Free& other) const {
      return size != other.size ? size < other.size : address < other.address;
    }
  };

  // The arena's end moves; a free chunk there is used first.
  Place extend(std::int64_t size) {
    if (!chunks_.empty() && chunks_.back().free) {
      const Place last = std::prev(chunks_.end());
      free_.erase({last->size, last->address});
      end_ += size - last->size;
      last->size = size;
      return last;
    }
    chunks_.push_back({end_, size, true});
    end_ += size;
    return std::prev(chunks_.end());
  }
  void add_free(Place place) { free_.insert({place->size, place->address, place}); }

  std::int64_t end_ = 0;
  std::list<Chunk> chunks_;
  std::set<Free> free_;
  std::unordered_map<MemoryTape::BufferId, Place> live_;
};

}  // namespace

std::unique_ptr<Allocator> make_best_fit_allocator() { return std::make_unique<BestFit>(); }

}  // namespace paceline
