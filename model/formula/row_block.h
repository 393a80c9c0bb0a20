// What a block of 128 threads works on for one row, in elements. Threads take four neighbouring
// elements at a time, so a warp of 32 takes 128 a turn and the block 512; the compiler writes four
// turns out as one.
//
//   128 ceil(length / 128) + 3 x 512 if ceil(length / 512) is a multiple of 4, length none of 128
//
// A warp takes a whole turn or none. Where the last of four turns ends within a warp, the threads
// that have it go through the four written out and those that have not through three single ones,
// one after the other, and the block waits: rows of 1540 to 2044 elements and of 3588 to 4092 cost
// that, rows of 1920 or 2048 do not. Evidence: times, grids and blocks of PyTorch's layer
// normalisation on five GPUs (docs/models/gpu-memory.md).
#pragma once

#include <cmath>

namespace paceline::formula {

inline double block_elements(double length) {
  constexpr double kVector = 4, kWarp = 32 * kVector, kBlock = 4 * kWarp, kWrittenOut = 4;
  const double turns = std::ceil(length / kBlock);
  const bool diverges = std::fmod(turns, kWrittenOut) == 0 && std::fmod(length, kWarp) != 0;
  return kWarp * std::ceil(length / kWarp) + (diverges ? (kWrittenOut - 1) * kBlock : 0);
}

}  // namespace paceline::formula
