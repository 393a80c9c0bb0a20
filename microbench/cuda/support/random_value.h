// The numbers that operands hold: nearly normal, with a standard deviation of 1, and the same on
// the host and on the device, so that references need no copy of the operands.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define PACELINE_HOST_DEVICE __host__ __device__
#else
#define PACELINE_HOST_DEVICE
#endif

namespace paceline {

// SplitMix64 (Steele, Lea and Flood 2014): a good hash of a counter.
PACELINE_HOST_DEVICE inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// Sum of four uniform numbers of 16 bits (Irwin-Hall), centred and scaled: exact in fp32.
PACELINE_HOST_DEVICE inline float random_value(std::uint64_t index, std::uint32_t seed) {
  const std::uint64_t bits = mixed(index * 4294967291ull + seed);
  const std::int64_t sum = static_cast<std::int64_t>((bits & 0xFFFF) + ((bits >> 16) & 0xFFFF) +
                                                     ((bits >> 32) & 0xFFFF) + (bits >> 48));
  // Variance of the sum: 4 * 65536^2 / 12.
  return static_cast<float>(sum - 2 * 65535) * (1.0f / 37837.0f);
}

}  // namespace paceline
