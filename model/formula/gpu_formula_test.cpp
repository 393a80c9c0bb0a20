// Laws of the GPU formulas: limits in which the answer is known, and directions that physics fixes.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "model/formula/gpu_attention.h"
#include "model/formula/gpu_gemm.h"
#include "model/formula/gpu_rnn.h"
#include "model/formula/gpu_stream.h"
#include "model/formula/row_block.h"

namespace paceline::formula {
namespace {

// A round device: 100 multiprocessors, 10 TFLOP/s, 1 TB/s, 10 MB of cache.
constexpr GpuDevice kDevice{100, 10e12, 10e12, 1e12, 10e6, 1e9};

// launch, compute_share, feed, prologue, wave, split_cost, overlap, saturation, memory_share,
// cache_fit, cache_rate, layout_nn, layout_nt, unaligned: an ideal device.
std::array<double, GpuGemm::kCount> ideal_gemm() {
  return {0, 1, 0, 0, 1, 1e9, 1e6, 1e-9, 1, 1e-9, 1, 0, 0, 0};
}

GpuGemm::Input square(double size) {
  GpuGemm::Input in{.m = size, .n = size, .k = size};
  in.trans_a = true;
  in.device = kDevice;
  return in;
}

// 10240^3 is 64 x 100 tiles of 128 x 128: whole waves, so an ideal device runs at its peak.
TEST(GpuGemm, RunsAtPeakWhenTilesFillWholeWaves) {
  const auto p = ideal_gemm();
  const double flops = 2.0 * 10240 * 10240 * 10240;
  EXPECT_NEAR(GpuGemm::time(square(10240), p.data()).total, flops / 10e12, 1e-6);
}

// One row of 101 tiles on 100 multiprocessors takes two waves, as 200 tiles do.
TEST(GpuGemm, ALastWaveOfOneTileCostsAWholeWave) {
  const auto p = ideal_gemm();
  const TiledProduct one{.m = 128, .n = 128 * 100, .k = 4096};
  const TiledProduct more{.m = 128, .n = 128 * 101, .k = 4096};
  const TileRates<double> rates = GpuGemm::rates(square(1), p.data());
  const TileChoice tile{128, 128, 1};
  EXPECT_DOUBLE_EQ(tiled_product_time(more, kDevice, rates, tile).compute,
                   2 * tiled_product_time(one, kDevice, rates, tile).compute);
}

// Units at half of the rate that their operand paths are built for wait half as much for operands.
TEST(GpuGemm, UnitsBelowTheRateOfTheirOperandPathsWaitLess) {
  auto p = ideal_gemm();
  p[GpuGemm::kFeed] = 64;  // 128 x 128 tiles take twice the time
  p[GpuGemm::kPrologue] = 0;
  GpuGemm::Input in = square(10240);
  const double full = GpuGemm::time(in, p.data()).compute;
  in.device.rate_share = 0.5;
  EXPECT_LT(GpuGemm::time(in, p.data()).compute, 0.85 * full);
  p[GpuGemm::kFeed] = 0;
  const double unfed = GpuGemm::time(in, p.data()).compute;
  in.device.rate_share = 1;
  EXPECT_EQ(GpuGemm::time(in, p.data()).compute, unfed);
}

// A few rows times a matrix move k n weights; where arithmetic is plentiful that is what bounds.
TEST(GpuGemm, AFewRowsTimesAMatrixTakeTheTimeToReadTheMatrix) {
  const auto p = ideal_gemm();
  GpuGemm::Input in = square(8192);
  in.m = 1;
  in.device.matrix_peak = 1e15;
  EXPECT_NEAR(GpuGemm::time(in, p.data()).total / (4.0 * 8192 * 8192 / 1e12), 1, 1e-3);
}

// One output tile occupies one of a hundred multiprocessors unless K is split among them.
TEST(GpuGemm, SplitsALongSumAmongIdleMultiprocessors) {
  auto p = ideal_gemm();
  GpuGemm::Input in = square(32);
  in.k = 100000;
  const double unsplit = GpuGemm::time(in, p.data()).total;
  p[GpuGemm::kSplitCost] = 0;
  EXPECT_LT(GpuGemm::time(in, p.data()).total, unsplit / 10);
}

TEST(GpuGemm, IsSlowedByLayoutAndOnMatrixUnitsByAlignment) {
  auto p = ideal_gemm();
  p[GpuGemm::kLayoutNn] = std::log(1.5);
  p[GpuGemm::kUnaligned] = std::log(2.0);
  GpuGemm::Input in = square(10240);
  const double base = GpuGemm::time(in, p.data()).total;
  in.trans_a = false;
  EXPECT_NEAR(GpuGemm::time(in, p.data()).total / base, 1.5, 1e-6);
  in.trans_a = true;
  in.k = 10241;  // rows of 40964 bytes
  EXPECT_NEAR(GpuGemm::time(in, p.data()).total / base, 1, 1e-3);
  in.on_matrix_units = true;
  EXPECT_NEAR(GpuGemm::time(in, p.data()).total / base, 2, 1e-3);
}

// Where every kernel has tiles of 128 x 128, 30 columns cost as much as 128, and nothing cuts K.
TEST(GpuGemm, AProductIsCutIntoTheTilesOfItsKernels) {
  auto p = ideal_gemm();
  p[GpuGemm::kSplitCost] = 0;
  GpuGemm::Input in{.m = 128, .n = 30, .k = 51200};
  in.device = kDevice;
  in.device.bandwidth = 1e15;
  const double any = GpuGemm::time(in, p.data()).total;
  constexpr std::array<TileChoice, 1> kTile = {{{128, 128}}};
  in.own_tiles = kTile;
  const double whole = GpuGemm::time(in, p.data()).total;
  EXPECT_GT(whole, 50 * any);
  in.n = 128;
  EXPECT_DOUBLE_EQ(GpuGemm::time(in, p.data()).total, whole);
}

// Far above the cache a copy runs at the memory's rate; far below, each of 100 multiprocessors gets
// 24 bytes a clock of 1 GHz more.
TEST(GpuStream, RunsAtTheRateOfMemoryOrOfTheCache) {
  // launch, memory_share, cache_fit, cache_rate, element_work, row_work, overlap
  const std::array<double, GpuStream::kCount> p = {0, 0.8, 0.5, 24, 0, 0, 1};
  GpuStream::Input in{
      .elements = 1, .bytes = 10e9, .rows = 0, .reuse_distance = 0, .device = kDevice};
  EXPECT_NEAR(GpuStream::time(in, p.data()).total, 10e9 / 0.8e12, 1e-6);
  in.bytes = 100e3;
  EXPECT_NEAR(GpuStream::time(in, p.data()).total * 3.2e12 / 100e3, 1, 1e-3);
  in.reuse_distance = 10e9;  // nothing is left in the cache
  EXPECT_NEAR(GpuStream::time(in, p.data()).total * 0.8e12 / 100e3, 1, 1e-3);
}

// Rows that are read a second time come from the cache as long as 16 of them on each of 100
// multiprocessors fit it: of 100 B they do, of 1 MB they are read from memory again.
TEST(GpuStream, ReadsRowsAgainFromTheCacheOrFromMemory) {
  const std::array<double, GpuStream::kCount> p = {0, 0.8, 0.5, 24, 0, 0, 1};
  GpuStream::Input in{.elements = 1, .bytes = 10e9, .rows = 50e6, .again = 5e9, .device = kDevice};
  EXPECT_NEAR(GpuStream::time(in, p.data()).total, 10e9 / 0.8e12 + 5e9 / 3.2e12, 1e-4);
  in.rows = 5e3;
  EXPECT_NEAR(GpuStream::time(in, p.data()).total, 15e9 / 0.8e12, 1e-5);
}

// Warps of a block take 128 elements a turn, or none; a row whose fourth turn ends within a warp
// makes the block wait for three turns more.
TEST(GpuStream, ABlockWaitsForTheWarpInWhichItsRowEnds) {
  EXPECT_EQ(block_elements(100), 128);
  EXPECT_EQ(block_elements(384), 384);
  EXPECT_EQ(block_elements(388), 512);
  EXPECT_EQ(block_elements(1536), 1536);
  EXPECT_EQ(block_elements(1556), 1664 + 3 * 512);
  EXPECT_EQ(block_elements(1920), 1920);
  EXPECT_EQ(block_elements(2048), 2048);
  EXPECT_EQ(block_elements(2052), 2176);
  EXPECT_EQ(block_elements(4092), 4096 + 3 * 512);
}

// So a shorter row may take longer; but only where each row belongs to a block, which reads it
// twice.
TEST(GpuStream, AShorterRowMayTakeLonger) {
  const std::array<double, GpuStream::kCount> p = {0, 1, 0.5, 24, 1e3, 0, 1e6};
  const auto time = [&](double length, bool is_read_again) {
    const double elements = 1e4 * length;
    return GpuStream::time({.elements = elements,
                            .bytes = 8 * elements,
                            .rows = 1e4,
                            .again = is_read_again ? 4 * elements : 0,
                            .device = kDevice},
                           p.data())
        .total;
  };
  EXPECT_GT(time(1916, true), 1.5 * time(1920, true));
  EXPECT_LT(time(1916, false), time(1920, false));
}

// launch, compute_share, exponentials, memory_share, overlap
constexpr std::array<double, GpuAttention::kCount> kIdealAttention = {0, 1, 1e12, 1, 1e6};

GpuAttention::Input attention(double seq, bool causal) {
  GpuAttention::Input in{.batch = 8, .seq = seq, .heads = 64, .kv_heads = 64, .head_dim = 128};
  in.causal = causal;
  in.device = kDevice;
  return in;
}

// Long attention is 4 b h L^2 d FLOP at peak; a causal one half of it, up to its diagonal blocks.
TEST(GpuAttention, IsTwoProductsAtPeakAndHalfOfThatWhenCausal) {
  const double full = GpuAttention::time(attention(8192, false), kIdealAttention.data()).total;
  EXPECT_NEAR(full, 4.0 * 8 * 64 * 8192 * 8192 * 128 / 10e12, 1e-9);
  const double causal = GpuAttention::time(attention(8192, true), kIdealAttention.data()).total;
  EXPECT_NEAR(causal / full, 0.5 * (1 + 128.0 / 8192), 1e-9);
}

// Exponentials take their time whatever the width of a head, products take time in proportion: a
// head of half the width saves half the products and nothing else.
TEST(GpuAttention, NarrowHeadsAreBoundByExponentials) {
  auto p = kIdealAttention;
  const GpuAttention::Input wide = attention(8192, false);
  const double scores = 8.0 * 64 * 8192 * 8192;
  p[GpuAttention::kExponentials] = 16;
  const double exponentials = scores / (16 * kDevice.multiprocessors * kDevice.clock);
  EXPECT_NEAR(GpuAttention::time(wide, p.data()).total, 4 * scores * 128 / 10e12 + exponentials,
              1e-9);
  GpuAttention::Input narrow = wide;
  narrow.head_dim = 64;
  EXPECT_NEAR(GpuAttention::time(narrow, p.data()).total, 4 * scores * 64 / 10e12 + exponentials,
              1e-9);
}

// One head on a hundred multiprocessors lasts as long as its longest block.
TEST(GpuAttention, ASmallGridLastsAsLongAsItsLongestBlock) {
  GpuAttention::Input in = attention(1024, true);
  in.batch = in.heads = in.kv_heads = 1;
  const double time = GpuAttention::time(in, kIdealAttention.data()).total;
  EXPECT_NEAR(time, 4.0 * 128 * 128 * 1024 / (10e12 / 100), 1e-12);
}

// launch, step, compute_share, half_batch, overlap, memory_share, cache_fit, cache_rate,
// persistent_step, depth, slices
constexpr std::array<double, GpuRnn::kCount> kIdealRnn = {0, 0, 1, 0, 1e6, 1, 1e-9, 1, 0, 0, 1e9};

GpuRnn::Input lstm(double batch) {
  GpuRnn::Input in{.gates = 4, .input = 1024, .hidden = 1024, .batch = batch, .steps = 100};
  in.device = kDevice;
  return in;
}

// With a large batch the layer is arithmetic: 2 g H (I + H) B T.
TEST(GpuRnn, IsArithmeticForALargeBatchAndTheReadingOfWeightsForASmallOne) {
  EXPECT_NEAR(GpuRnn::time(lstm(4096), kIdealRnn.data()).total /
                  (2.0 * 4 * 1024 * 2048 * 4096 * 100 / 10e12),
              1, 1e-3);
  GpuRnn::Input small = lstm(1);
  small.input = 0;
  EXPECT_NEAR(GpuRnn::time(small, kIdealRnn.data()).total /
                  (100 * 4.0 * (4 * 1024 * 1024 + 6 * 1024) / 1e12),
              1, 1e-3);
}

// Layers work on different steps at the same time: two layers of a latency-bound network take one
// step more, not twice the time.
TEST(GpuRnn, OverlapsLayersOfALatencyBoundNetwork) {
  auto p = kIdealRnn;
  p[GpuRnn::kStep] = 1;
  GpuRnn::Input in = lstm(1);
  const double one = GpuRnn::time(in, p.data()).total;
  in.layers = 2;
  EXPECT_NEAR(GpuRnn::time(in, p.data()).total - one, 1, 0.01);
}

// A persistent kernel reads no weights: with one sample nothing but its steps is left.
TEST(GpuRnn, APersistentKernelKeepsItsWeightsOnChip) {
  auto p = kIdealRnn;
  p[GpuRnn::kStep] = 1;
  p[GpuRnn::kPersistentStep] = 1e-3;
  GpuRnn::Input in = lstm(1);
  in.input = 0;
  in.persistent = true;
  EXPECT_NEAR(GpuRnn::time(in, p.data()).total, 100 * 1e-3, 1e-3);
}

// The terms of a sum follow one another however few there are to compute at once: a step grows by
// H depth, and a persistent kernel, which was measured as a whole, does not.
TEST(GpuRnn, AStepWaitsForTheTermsOfItsSums) {
  auto p = kIdealRnn;
  const double before = GpuRnn::time(lstm(4096), p.data()).total;
  p[GpuRnn::kDepth] = 1000;  // clocks of 1 ns
  EXPECT_NEAR(GpuRnn::time(lstm(4096), p.data()).total - before, 100 * 1024 * 1e-6, 1e-4);
  GpuRnn::Input in = lstm(1);
  in.persistent = true;
  EXPECT_LT(GpuRnn::time(in, p.data()).total, 0.01);
}

// The weight gradient fills the device anew for each part; no more parts than steps, and no more
// than the library makes, so a long sequence hardly notices.
TEST(GpuRnn, WeightGradientPaysForEachOfItsParts) {
  auto p = kIdealRnn;
  GpuRnn::Input in = lstm(32);
  in.weight_gradient = true;
  const double whole = GpuRnn::time(in, p.data()).total;
  p[GpuRnn::kHalfBatch] = 32;
  EXPECT_NEAR(GpuRnn::time(in, p.data()).total / whole, 2, 1e-9) << "every step a part";
  p[GpuRnn::kSlices] = 10;
  EXPECT_NEAR(GpuRnn::time(in, p.data()).total / whole, 1.1, 1e-9) << "10 parts of 10 steps";
}

TEST(GpuRnn, WeightGradientHasNoSteps) {
  auto p = kIdealRnn;
  p[GpuRnn::kStep] = 1;
  GpuRnn::Input in = lstm(64);
  in.weight_gradient = true;
  EXPECT_LT(GpuRnn::time(in, p.data()).total, 1);
}

}  // namespace
}  // namespace paceline::formula
