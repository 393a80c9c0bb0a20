// Time to move bytes when part of them stays in the caches.
//
//   seconds per byte(Q) = 1/near + (1/far - 1/near) miss(Q / capacity)
//   miss(x) = x^s / (1 + x^s)
//
//
// `near` is the rate from the caches and `far` the rate from memory; `capacity` is the working set
// at which half of the traffic misses and `s` how sharply that happens: a true LRU cache under a
// cyclic sweep is a step (s -> infinity), a shared, hashed last-level cache is not.
// Derivation: docs/models/cpu-stream.md.
#pragma once

#include <cmath>

namespace paceline::formula {

// Share of the traffic that misses a cache of `capacity` bytes when `working_set` bytes are swept.
template <typename T>
T miss_share(double working_set, const T& capacity, const T& sharpness) {
  using std::exp;
  using std::log;
  if (working_set <= 0) return T(0.0);
  if (std::isinf(working_set)) return T(1.0);
  const T exponent = sharpness * log(capacity / working_set);
  if (exponent > 40.0) return T(0.0);  // below 1e-17, and exp would overflow further on
  return 1.0 / (1.0 + exp(exponent));
}

}  // namespace paceline::formula
