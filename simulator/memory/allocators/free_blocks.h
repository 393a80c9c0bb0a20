// The free blocks of an allocator that cuts requests from larger blocks and joins what comes back
// with its free neighbours.
#pragma once

#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <utility>

namespace paceline {

// A Block has `address`, `size` and `free`, and lies in a list of neighbours.
template <typename Block>
class FreeBlocks {
 public:
  using Blocks = std::list<Block>;
  using Place = typename Blocks::iterator;

  // The smallest that is large enough, of equal ones the one at the lowest address. It is in use
  // from then on.
  std::optional<Place> take(std::int64_t size) {
    const auto found = by_size_.lower_bound({size, 0});
    if (found == by_size_.end()) return std::nullopt;
    const Place place = found->second;
    remove(place);
    return place;
  }
  void add(Place place) {
    place->free = true;
    by_size_.emplace(key_of(place), place);
  }
  void remove(Place place) {
    place->free = false;
    by_size_.erase(key_of(place));
  }
  // Adds a block of `blocks`, one with its free neighbours there.
  void give_back(Blocks& blocks, Place place) {
    if (const Place next = std::next(place); next != blocks.end() && next->free) {
      remove(next);
      place->size += next->size;
      blocks.erase(next);
    }
    if (place != blocks.begin()) {
      if (const Place before = std::prev(place); before->free) {
        remove(before);
        before->size += place->size;
        blocks.erase(place);
        place = before;
      }
    }
    add(place);
  }

 private:
  static std::pair<std::int64_t, std::int64_t> key_of(Place place) {
    return {place->size, place->address};
  }

  std::map<std::pair<std::int64_t, std::int64_t>, Place> by_size_;  // size, address
};

}  // namespace paceline
