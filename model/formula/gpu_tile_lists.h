// The tiles of C, and the numbers of slices of K, that libraries of matrix products have kernels
// for: as they occur in names of cuBLAS and CUTLASS kernels in public traces.
#pragma once

#include <array>

namespace paceline::formula {

struct TileChoice {
  double m = 0, n = 0;
  double split = 1;
};

inline constexpr std::array<TileChoice, 10> kVectorTiles = {{{256, 128},
                                                             {128, 256},
                                                             {128, 128},
                                                             {128, 64},
                                                             {64, 128},
                                                             {64, 64},
                                                             {128, 32},
                                                             {32, 128},
                                                             {64, 32},
                                                             {32, 32}}};
inline constexpr std::array<TileChoice, 10> kMatrixTiles = {{{256, 256},
                                                             {256, 128},
                                                             {128, 256},
                                                             {192, 128},
                                                             {128, 128},
                                                             {256, 64},
                                                             {64, 256},
                                                             {128, 64},
                                                             {64, 128},
                                                             {64, 64}}};
inline constexpr std::array<double, 12> kSplits = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128};
// Slices of K below this many elements are not offered by libraries.
inline constexpr double kLeastMatrixSlice = 256;
inline constexpr double kLeastVectorSlice = 64;
// Blocks per multiprocessor above which nothing is idle that splitting could use.
inline constexpr double kLargestSplitGrid = 4;

}  // namespace paceline::formula
