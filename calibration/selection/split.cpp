#include "calibration/selection/split.h"

#include <cstdint>

namespace paceline {

bool is_held_out(std::string_view shape_text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : shape_text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  // The low bits of FNV-1a mix least; fold the high ones in before taking a quarter.
  hash ^= hash >> 32;
  return hash % 4 == 0;
}

}  // namespace paceline
