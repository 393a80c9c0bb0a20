#include "calibration/selection/split.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace paceline {
namespace {

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  // The last bytes have hardly reached the high bits of FNV-1a, by which we sort; mix them in.
  hash ^= hash >> 32;
  hash *= 11400714819323198485ULL;
  return hash ^ (hash >> 29);
}

}  // namespace

std::set<std::string> held_out_shapes(const std::set<std::string>& shapes) {
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (const std::string& shape : shapes) order.emplace_back(hash_of(shape), shape);
  std::sort(order.begin(), order.end());
  std::set<std::string> out;
  for (std::size_t i = 0; i < shapes.size() / 4; ++i) out.insert(order[i].second);
  return out;
}

}  // namespace paceline
