// The fastest tile and split of a product (gpu_tiles.h). Timing all of them takes four logarithms
// each, so the likeliest is timed first, and of the others only those whose bound
// (gpu_tile_bounds.h) is below the best so far.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "model/formula/gpu_tile_bounds.h"

namespace paceline::formula {

struct FastestTile {
  TileChoice tile;  // m = 0 if none takes less than the limit
  double time = std::numeric_limits<double>::infinity();
};

class TileSearch {
 public:
  // `least_pnorm` is that of the rates' overlap. All four are referred to, not copied.
  TileSearch(const TiledProduct& work, const GpuDevice& device, const TileRates<double>& rates,
             const LeastPnorm& least_pnorm)
      : work_(work), device_(device), rates_(rates), bounds_(work, device, rates, least_pnorm) {}

  // Of several that take equally long, the first in the order of the lists.
  FastestTile below(double limit) {
    best_ = {{}, limit};
    time_tile(bounds_.likeliest());
    for (std::size_t t = 0; t < bounds_.tiles().size(); ++t) {
      if (t != bounds_.likeliest() && bounds_.least_time(t) <= best_.time) time_tile(t);
    }
    return best_;
  }

 private:
  // Times what its bound does not exclude, the least bound first.
  void time_tile(std::size_t t) {
    std::array<double, kSplits.size()> least{};
    std::size_t first = 0;
    for (std::size_t s = 0; s < bounds_.splits(t); ++s) {
      least[s] = bounds_.least_time(t, kSplits[s]);
      if (least[s] < least[first]) first = s;
    }
    if (least[first] > best_.time) return;
    try_split(t, first);
    for (std::size_t s = 0; s < bounds_.splits(t); ++s) {
      if (s != first && least[s] <= best_.time) try_split(t, s);
    }
  }

  void try_split(std::size_t t, std::size_t s) {
    TileChoice tile = bounds_.tiles()[t];
    tile.split = kSplits[s];
    const double time =
        s > 0 ? tiled_product_time(work_, device_, rates_, tile).total
              : tiled_product_time(work_, device_, rates_, tile, bounds_.memory()).total;
    const std::size_t place = t * kSplits.size() + s;
    const bool is_first_of_equals = time == best_.time && best_.tile.m > 0 && place < place_;
    if (!(time < best_.time || is_first_of_equals)) return;
    best_ = {tile, time};
    place_ = place;
  }

  const TiledProduct& work_;
  const GpuDevice& device_;
  const TileRates<double>& rates_;
  TileBounds bounds_;
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
