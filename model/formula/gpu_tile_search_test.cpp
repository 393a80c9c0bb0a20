// The search for the fastest tile leaves out what its bounds exclude: it must find what trying
// everything finds.
#include "model/formula/gpu_tile_search.h"

#include <gtest/gtest.h>

#include <random>

namespace paceline::formula {
namespace {

constexpr GpuDevice kDevice{100, 10e12, 10e12, 1e12, 10e6, 1e9};

FastestTile by_trying_all(const TiledProduct& work, const TileRates<double>& rates) {
  const std::span<const TileChoice> tiles =
      work.on_matrix_units ? std::span<const TileChoice>(kMatrixTiles) : kVectorTiles;
  const double least = work.on_matrix_units ? kLeastMatrixSlice : kLeastVectorSlice;
  FastestTile best;
  for (TileChoice tile : tiles) {
    const double grid = work.batch * std::ceil(work.m / tile.m) * std::ceil(work.n / tile.n);
    for (const double split : kSplits) {
      const bool is_offered =
          work.k / split >= least && grid <= kLargestSplitGrid * kDevice.multiprocessors;
      if (split > 1 && !is_offered) continue;
      tile.split = split;
      const double time = tiled_product_time(work, kDevice, rates, tile).total;
      if (time < best.time) best = {tile, time};
    }
  }
  return best;
}

class Random {
 public:
  double between(double low, double high) {
    return low * std::exp(std::uniform_real_distribution<>(0, std::log(high / low))(engine_));
  }
  TileRates<double> rates() {
    return {between(0.3, 1),     between(1, 60),
            between(1, 300),     between(0.1, 1),
            between(1e-6, 1e-5), between(0.1, 10),
            between(0.1, 4),     {between(0.5, 1), between(0.2, 2), between(0.5, 5)}};
  }
  TiledProduct product(bool on_matrix_units) {
    const double m = std::floor(between(8, 20000)), n = std::floor(between(8, 20000));
    const double k = std::floor(between(8, 20000)), batch = std::floor(between(1, 20));
    return {.m = m,
            .n = n,
            .k = k,
            .batch = batch,
            .bytes = 4 * batch * (m * k + k * n + m * n),
            .on_matrix_units = on_matrix_units};
  }

 private:
  std::mt19937 engine_{1};
};

TEST(TileSearch, FindsWhatTryingAllFinds) {
  Random random;
  int split = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const TiledProduct work = random.product(trial % 2 == 0);
    const TileRates<double> rates = random.rates();
    const FastestTile wanted = by_trying_all(work, rates);
    const FastestTile found = fastest_tile(work, kDevice, rates);
    EXPECT_EQ(found.time, wanted.time);
    EXPECT_EQ(found.tile.m, wanted.tile.m);
    EXPECT_EQ(found.tile.n, wanted.tile.n);
    EXPECT_EQ(found.tile.split, wanted.tile.split);
    split += found.tile.split > 1 ? 1 : 0;
  }
  EXPECT_GT(split, 100);  // both kinds were compared
  EXPECT_LT(split, 1900);
}

// Otherwise the search would leave out what is fastest, or time almost everything.
TEST(TileSearch, TheBoundOfAnOverlapIsBelowItAndClose) {
  for (const double p : {1.0, 1.2, 2.0, 3.5, 10.0, 1e6}) {
    const LeastPnorm least(p);
    for (double a = 1e-3; a < 1e3; a *= 1.07) {
      const double exact = pnorm(a, 1.0, p);
      EXPECT_LE(least(a, 1.0), exact * (1 + 1e-14)) << a << " " << p;
      EXPECT_GE(least(a, 1.0), 0.95 * exact) << a << " " << p;
    }
  }
}

// A square product takes equally long in 256 x 128 and 128 x 256: the first of the list is named.
TEST(TileSearch, OfEqualsTakesTheFirst) {
  Random random;
  for (int trial = 0; trial < 200; ++trial) {
    const TileRates<double> rates = random.rates();
    TiledProduct work{.m = 4096, .n = 4096, .k = 512, .bytes = 4.0 * 4096 * 6144};
    const TileChoice tile = fastest_tile(work, kDevice, rates).tile;
    EXPECT_FALSE(tile.m == 128 && tile.n == 256);
  }
}

TEST(TileSearch, FindsNoneBelowALimitThatNoneMeets) {
  Random random;
  const TileRates<double> rates = random.rates();
  const TiledProduct work = random.product(true);
  const double best = fastest_tile(work, kDevice, rates).time;
  EXPECT_EQ(fastest_tile(work, kDevice, rates, best).tile.m, 0);
  EXPECT_EQ(fastest_tile(work, kDevice, rates, best * 1.001).time, best);
}

}  // namespace
}  // namespace paceline::formula
