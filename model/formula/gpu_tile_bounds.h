// What each tile of a product (gpu_tiles.h) takes at least: over all the splits of K that it may
// have, and with one of them. Bounds need no logarithm, so that a search leaves most tiles out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/formula/gpu_tiles.h"
#include "model/formula/least_pnorm.h"

namespace paceline::formula {

class TileBounds {
 public:
  // `least_pnorm` is that of the rates' overlap. All four are referred to, not copied.
  TileBounds(const TiledProduct& work, const GpuDevice& device, const TileRates<double>& rates,
             const LeastPnorm& least_pnorm)
      : work_(work),
        device_(device),
        rates_(rates),
        least_pnorm_(least_pnorm),
        tiles_(tiles_of(work)),
        memory_(gpu_memory_time(work.bytes, work.reuse_distance, device, rates.memory)),
        partial_(work.bytes > 0 ? 8.0 * work.m * work.n * work.batch / work.bytes : 0.0),
        depth_of_prologue_(device.rate_share * rates.prologue) {
    const double least_slice = work.on_matrix_units ? kLeastMatrixSlice : kLeastVectorSlice;
    const std::size_t most = work.own_tiles.empty() ? kSplits.size() : 1;
    while (deepest_ < most && work.k / kSplits[deepest_] >= least_slice) ++deepest_;
    for (std::size_t t = 0; t < tiles_.size(); ++t) bound_tile(t);
  }

  std::span<const TileChoice> tiles() const { return tiles_; }
  std::size_t likeliest() const { return likeliest_; }            // the tile of the least bound
  std::size_t splits(std::size_t t) const { return splits_[t]; }  // of kSplits, for tile t
  double least_time(std::size_t t) const { return least_[t]; }    // over all of them
  double memory() const { return memory_; }  // seconds to move what a product without a split does

  double least_time(std::size_t t, double split) const {
    const double blocks = grid_[t] * split;
    const double per_unit = blocks / device_.multiprocessors;
    const double waves =
        rates_.wave * rounded_up(per_unit) + (1.0 - rates_.wave) * std::max(per_unit, 1.0);
    const double compute = wave_[t] * waves * (work_.k / split + depth_of_prologue_);
    // More bytes find no larger share of them in the cache.
    const double traffic = split > 1 ? 1.0 + partial_ * split : 1.0;
    const double memory = memory_ * traffic * small_grid(blocks, device_, rates_.saturation);
    return kRounding * least_pnorm_(compute, memory) + (split > 1 ? rates_.split_cost : 0.0);
  }

 private:
  static constexpr std::size_t kMostTiles = kMatrixTiles.size();
  static_assert(kVectorTiles.size() <= kMostTiles);
  // Bounds are of another order of operations than times.
  static constexpr double kRounding = 1.0 - 1e-12;

  static std::span<const TileChoice> tiles_of(const TiledProduct& work) {
    if (!work.own_tiles.empty()) return work.own_tiles;
    return work.on_matrix_units ? std::span<const TileChoice>(kMatrixTiles) : kVectorTiles;
  }

  static double rounded_up(double x) {
    if (x > 1e15) return x;
    const double whole = static_cast<double>(static_cast<std::int64_t>(x));
    return whole < x ? whole + 1 : whole;
  }

  void bound_tile(std::size_t t) {
    const TileChoice& tile = tiles_[t];
    grid_[t] = work_.batch * rounded_up(work_.m / tile.m) * rounded_up(work_.n / tile.n);
    const double fed = 1.0 + device_.rate_share * rates_.feed * (1.0 / tile.m + 1.0 / tile.n);
    wave_[t] = 2.0 * tile.m * tile.n * device_.multiprocessors * fed /
               (device_.matrix_peak * rates_.compute_share);
    const bool splits = grid_[t] <= kLargestSplitGrid * device_.multiprocessors;
    splits_[t] = splits && deepest_ > 0 ? deepest_ : 1;
    least_[t] = least_time(t, 1);
    if (splits_[t] > 1)
      least_[t] = std::min(least_[t], least_of_splits(t, kSplits[splits_[t] - 1]));
    if (least_[t] < least_[likeliest_]) likeliest_ = t;
  }

  // No split fills more than every multiprocessor with its share of K, nor does less than a slice;
  // none moves less than two slices do, in a grid smaller than that of `most`.
  double least_of_splits(std::size_t t, double most) const {
    const double share = grid_[t] / device_.multiprocessors;
    const double compute =
        wave_[t] * std::max(share * (work_.k + depth_of_prologue_),
                            std::max(share * work_.k, work_.k / most) + depth_of_prologue_);
    const double memory =
        memory_ * (1.0 + 2.0 * partial_) * small_grid(grid_[t] * most, device_, rates_.saturation);
    return kRounding * least_pnorm_(compute, memory) + rates_.split_cost;
  }

  const TiledProduct& work_;
  const GpuDevice& device_;
  const TileRates<double>& rates_;
  const LeastPnorm& least_pnorm_;
  std::span<const TileChoice> tiles_;
  double memory_;
  double partial_;            // bytes of partial sums for each slice, against those
  double depth_of_prologue_;  // in elements of K
  std::size_t deepest_ = 0;   // splits that K allows
  std::size_t likeliest_ = 0;
  std::array<double, kMostTiles> grid_{};  // blocks without a split
  std::array<double, kMostTiles> wave_{};  // seconds of one wave for each element of K
  std::array<double, kMostTiles> least_{};
  std::array<std::size_t, kMostTiles> splits_{};
};

}  // namespace paceline::formula
