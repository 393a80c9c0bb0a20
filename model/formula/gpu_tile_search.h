// The fastest tile and split of a product (gpu_tiles.h). Every candidate has a bound that needs no
// logarithm: each part of its time alone. The candidate with the least bound is timed first; then
// only those whose bound is below the best time so far, usually none or one.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "model/formula/gpu_tiles.h"

namespace paceline::formula {

struct FastestTile {
  TileChoice tile;  // m = 0 if none takes less than the limit
  double time = std::numeric_limits<double>::infinity();
};

// The tiles and splits that a library offers for a product, with the least time of each.
class TileCandidates {
 public:
  TileCandidates(const TiledProduct& work, const GpuDevice& device, const TileRates<double>& rates,
                 double memory) {
    tiles_ = work.on_matrix_units ? std::span<const TileChoice>(kMatrixTiles) : kVectorTiles;
    const double least_slice = work.on_matrix_units ? kLeastMatrixSlice : kLeastVectorSlice;
    for (std::size_t t = 0; t < tiles_.size(); ++t) {
      const TileChoice& tile = tiles_[t];
      const double grid = work.batch * std::ceil(work.m / tile.m) * std::ceil(work.n / tile.n);
      const double per_wave = seconds_per_wave_and_depth(device, rates, tile);
      for (std::size_t s = 0; s < kSplits.size(); ++s) {
        const double split = kSplits[s];
        if (split > 1 && work.k / split < least_slice) break;
        if (split > 1 && grid > kLargestSplitGrid * device.multiprocessors) break;
        add(t, s,
            least_time(device, rates, memory, grid * split, per_wave, work.k / split) +
                (split > 1 ? rates.split_cost : 0.0));
      }
    }
  }

  std::size_t size() const { return size_; }
  std::size_t likeliest() const { return likeliest_; }
  double least(std::size_t i) const { return least_[i]; }
  TileChoice at(std::size_t i) const {
    TileChoice out = tiles_[tile_[i]];
    out.split = kSplits[split_[i]];
    return out;
  }

 private:
  static constexpr std::size_t kMost = kMatrixTiles.size() * kSplits.size();
  static_assert(kVectorTiles.size() <= kMatrixTiles.size());

  static double seconds_per_wave_and_depth(const GpuDevice& device, const TileRates<double>& rates,
                                           const TileChoice& tile) {
    const double fed = 1.0 + device.rate_share * rates.feed * (1.0 / tile.m + 1.0 / tile.n);
    const double narrow = tile.n < kNarrowTile ? rates.narrow : 1.0;
    return narrow * 2.0 * tile.m * tile.n * device.multiprocessors * fed /
           (device.matrix_peak * rates.compute_share);
  }

  static double least_time(const GpuDevice& device, const TileRates<double>& rates, double memory,
                           double blocks, double per_wave, double depth) {
    const double per_unit = blocks / device.multiprocessors;
    const double waves =
        rates.wave * std::ceil(per_unit) + (1.0 - rates.wave) * std::fmax(per_unit, 1.0);
    const double compute = waves * per_wave * (depth + device.rate_share * rates.prologue);
    constexpr double kRounding = 1.0 - 1e-12;  // the bound is of another order of operations
    return kRounding * std::fmax(compute, memory * small_grid(blocks, device, rates.saturation));
  }

  void add(std::size_t tile, std::size_t split, double least) {
    least_[size_] = least;
    tile_[size_] = static_cast<std::uint8_t>(tile);
    split_[size_] = static_cast<std::uint8_t>(split);
    if (least < least_[likeliest_]) likeliest_ = size_;
    ++size_;
  }

  std::span<const TileChoice> tiles_;
  std::array<double, kMost> least_;  // the first size_ are set, here and below
  std::array<std::uint8_t, kMost> tile_, split_;
  std::size_t size_ = 0, likeliest_ = 0;
};

// Of several that take equally long, the first in the order of the lists.
inline FastestTile fastest_tile(const TiledProduct& work, const GpuDevice& device,
                                const TileRates<double>& rates,
                                double limit = std::numeric_limits<double>::infinity()) {
  const double memory = gpu_memory_time(work.bytes, work.reuse_distance, device, rates.memory);
  const TileCandidates candidates(work, device, rates, memory);
  FastestTile best{{}, limit};
  std::size_t chosen = candidates.size();
  const auto consider = [&](std::size_t i) {
    if (candidates.least(i) > best.time) return;
    const TileChoice tile = candidates.at(i);
    const double time = tile.split > 1
                            ? tiled_product_time(work, device, rates, tile).total
                            : tiled_product_time(work, device, rates, tile, memory).total;
    const bool is_first_of_equals = time == best.time && i < chosen && best.tile.m > 0;
    if (time < best.time || is_first_of_equals) {
      best = {tile, time};
      chosen = i;
    }
  };
  consider(candidates.likeliest());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i != candidates.likeliest()) consider(i);
  }
  return best;
}

// The time of the fastest tile.
template <typename T>
TimeParts<T> tiled_product_time(const TiledProduct& work, const GpuDevice& device,
                                const TileRates<T>& rates) {
  return tiled_product_time(work, device, rates, fastest_tile(work, device, plain(rates)).tile);
}

}  // namespace paceline::formula
