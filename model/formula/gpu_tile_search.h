// The fastest tile and split of a product (gpu_tiles.h). Timing all of them takes four logarithms
// each, so they are left out by bounds: of a tile over all its splits, then of a tile and split.
// The likeliest is timed first; of the others only those whose bound is below the best so far.
#pragma once

#include <algorithm>
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

// What pnorm(a, b; p) is at least, without powers. It is convex in the smaller time, so that its
// tangents where the smaller is equal to the larger, and half of it, are below it.
class LeastPnorm {
 public:
  explicit LeastPnorm(double p)
      : equal_(tangent(1.0, p, 1.0)), half_(tangent(0.5, p, std::exp2(-p))) {}
  double operator()(double a, double b) const {
    const double larger = std::max(a, b), smaller = std::min(a, b);
    return std::max({larger, equal_.of_larger * larger + equal_.of_smaller * smaller,
                     half_.of_larger * larger + half_.of_smaller * smaller});
  }

 private:
  struct Tangent {
    double of_larger = 0, of_smaller = 0;
  };
  // At a smaller time of `ratio` times the larger, whose power p is `power`.
  static Tangent tangent(double ratio, double p, double power) {
    const double value = std::exp(std::log1p(power) / p);
    return {value / (1 + power), value * power / ((1 + power) * ratio)};
  }
  Tangent equal_, half_;
};

// The tiles of a product and what they take at least.
class TileSearch {
 public:
  // `least_pnorm` is that of the rates' overlap.
  TileSearch(const TiledProduct& work, const GpuDevice& device, const TileRates<double>& rates,
             const LeastPnorm& least_pnorm)
      : work_(work),
        device_(device),
        rates_(rates),
        tiles_(tiles_of(work)),
        memory_(gpu_memory_time(work.bytes, work.reuse_distance, device, rates.memory)),
        partial_(work.bytes > 0 ? 8.0 * work.m * work.n * work.batch / work.bytes : 0.0),
        depth_of_prologue_(device.rate_share * rates.prologue),
        least_pnorm_(least_pnorm) {
    const double least_slice = work.on_matrix_units ? kLeastMatrixSlice : kLeastVectorSlice;
    const std::size_t most = work.own_tiles.empty() ? kSplits.size() : 1;
    while (deepest_ < most && work.k / kSplits[deepest_] >= least_slice) ++deepest_;
    for (std::size_t t = 0; t < tiles_.size(); ++t) bound_tile(t);
  }

  // Of several that take equally long, the first in the order of the lists.
  FastestTile below(double limit) {
    best_ = {{}, limit};
    time_tile(likeliest_);
    for (std::size_t t = 0; t < tiles_.size(); ++t) {
      if (t != likeliest_ && least_[t] <= best_.time) time_tile(t);
    }
    return best_;
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

  // Times what its bound does not exclude, the least bound first.
  void time_tile(std::size_t t) {
    std::array<double, kSplits.size()> least{};
    std::size_t first = 0;
    for (std::size_t s = 0; s < splits_[t]; ++s) {
      least[s] = least_time(t, kSplits[s]);
      if (least[s] < least[first]) first = s;
    }
    if (least[first] > best_.time) return;
    try_split(t, first);
    for (std::size_t s = 0; s < splits_[t]; ++s) {
      if (s != first && least[s] <= best_.time) try_split(t, s);
    }
  }

  void try_split(std::size_t t, std::size_t s) {
    TileChoice tile = tiles_[t];
    tile.split = kSplits[s];
    const double time = s > 0 ? tiled_product_time(work_, device_, rates_, tile).total
                              : tiled_product_time(work_, device_, rates_, tile, memory_).total;
    const std::size_t place = t * kSplits.size() + s;
    const bool is_first_of_equals = time == best_.time && best_.tile.m > 0 && place < place_;
    if (!(time < best_.time || is_first_of_equals)) return;
    best_ = {tile, time};
    place_ = place;
  }

  const TiledProduct& work_;
  const GpuDevice& device_;
  const TileRates<double>& rates_;
  std::span<const TileChoice> tiles_;
  double memory_;             // seconds to move what a product without a split does
  double partial_;            // bytes of partial sums for each slice, against those
  double depth_of_prologue_;  // in elements of K
  const LeastPnorm& least_pnorm_;
  std::size_t deepest_ = 0;  // splits that K allows
  std::size_t likeliest_ = 0;
  std::array<double, kMostTiles> grid_{};  // blocks without a split
  std::array<double, kMostTiles> wave_{};  // seconds of one wave for each element of K
  std::array<double, kMostTiles> least_{};
  std::array<std::size_t, kMostTiles> splits_{};
  FastestTile best_;
  std::size_t place_ = 0;  // of the best in the order of the lists
};

inline FastestTile fastest_tile(const TiledProduct& work, const GpuDevice& device,
                                const TileRates<double>& rates,
                                double limit = std::numeric_limits<double>::infinity()) {
  return TileSearch(work, device, rates, LeastPnorm(1.0 + rates.overlap)).below(limit);
}

// The time of the fastest tile.
template <typename T>
TimeParts<T> tiled_product_time(const TiledProduct& work, const GpuDevice& device,
                                const TileRates<T>& rates) {
  return tiled_product_time(work, device, rates, fastest_tile(work, device, plain(rates)).tile);
}

}  // namespace paceline::formula
