#include "simulator/strategies/parts/placement.h"

#include <algorithm>
#include <numeric>

namespace paceline {

std::vector<int> balanced_owners(std::span<const GradientTensor> gradients, int owners,
                                 PlacementOrder order) {
  std::vector<std::size_t> sequence(gradients.size());
  std::iota(sequence.begin(), sequence.end(), std::size_t{0});
  if (order == PlacementOrder::kLargestFirst) {
    std::ranges::stable_sort(sequence, [&](std::size_t a, std::size_t b) {
      return gradients[a].elements > gradients[b].elements;
    });
  }
  std::vector<int> owner(gradients.size());
  std::vector<Bytes> load(static_cast<std::size_t>(owners));
  for (const std::size_t gradient : sequence) {
    const auto least = std::ranges::min_element(load);
    owner[gradient] = static_cast<int>(least - load.begin());
    *least += gradients[gradient].bytes;
  }
  return owner;
}

std::vector<int> round_robin_owners(std::size_t gradients, int owners) {
  std::vector<int> owner(gradients);
  for (std::size_t i = 0; i < gradients; ++i) owner[i] = static_cast<int>(i) % owners;
  return owner;
}

std::vector<int> hashed_owners(std::size_t gradients, int servers) {
  constexpr std::size_t kPrime = 9973;
  std::vector<int> owner(gradients);
  for (std::size_t i = 0; i < gradients; ++i) {
    owner[i] = static_cast<int>((i * kPrime) % static_cast<std::size_t>(servers));
  }
  return owner;
}

}  // namespace paceline
