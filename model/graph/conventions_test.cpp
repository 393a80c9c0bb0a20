// The rows of docs/models/flop-conventions.md: published utilisation from the graph's FLOP.
#include <gtest/gtest.h>

#include "model/graph/rewrite/recomputation.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

WorkloadGraph build(const std::string& name, std::int64_t seq) {
  return build_workload(workload_registry(), name, {.batch = 1, .seq = seq});
}

double per_token(const WorkloadGraph& graph) {
  return graph.training_flops().si() / static_cast<double>(*graph.tokens_per_sample());
}

double six_n(double parameters, double layers, double width, double seq) {
  return 6 * parameters + 12 * layers * width * seq;
}

constexpr double kH100Bf16Peak = 989e12;

// One row of MosaicML's tables of MPT (llm-foundry, scripts/train/benchmarking), sequence 2048:
// what one GPU reached, and its utilisation in percent with the digits that are published. `unit`
// is the last digit of the rate.
struct MptRow {
  const char* name;
  std::int64_t layers, width;
  double peak, rate, unit, mfu, digit;
  double hfu;  // 0: nothing is recomputed, the same as mfu
};

// The tables divide by 1979 / 2 TFLOP/s on an H100, by 312 on an A100.
constexpr double kH100 = 989.5e12, kA100 = 312e12;
constexpr MptRow kMptRows[] = {
    {"mpt-7b", 32, 4096, kH100, 10643, 1, 46.4, 0.1, 0},
    {"mpt-7b", 32, 4096, kH100, 10475, 1, 45.7, 0.1, 0},
    {"mpt-7b", 32, 4096, kH100, 10119, 1, 44.2, 0.1, 0},
    {"mpt-7b", 32, 4096, kH100, 9670, 1, 42.2, 0.1, 0},
    {"mpt-70b", 80, 8192, kH100, 1058, 1, 43.4, 0.1, 57.8},
    {"mpt-70b", 80, 8192, kH100, 1035, 1, 42.4, 0.1, 56.6},
    {"mpt-70b", 80, 8192, kH100, 1007, 1, 41.3, 0.1, 55.0},
    {"mpt-70b", 80, 8192, kA100, 26274.0 / 64, 1.0 / 64, 53.33, 0.01, 71.1},
    {"mpt-70b", 80, 8192, kA100, 11962.0 / 32, 1.0 / 32, 48.56, 0.01, 64.75}};

// The rate is cut to whole tokens and the utilisation rounded: both ends of what the row can mean.
TEST(FlopConvention, ReproducesEveryRowOfMosaicMlsUtilisation) {
  for (const MptRow& row : kMptRows) {
    const WorkloadGraph graph = build(row.name, 2048);
    const double flops =
        six_n(static_cast<double>(graph.parameters()), static_cast<double>(row.layers),
              static_cast<double>(row.width), 2048);
    const double lowest = 100 * flops * row.rate / row.peak;
    const double highest = 100 * flops * (row.rate + row.unit) / row.peak;
    EXPECT_LT(lowest, row.mfu + row.digit / 2) << row.name << " " << row.rate;
    EXPECT_GT(highest, row.mfu - row.digit / 2) << row.name << " " << row.rate;
    // Full recomputation is counted as a third more.
    if (row.hfu == 0) continue;
    EXPECT_LT(lowest * 4 / 3, row.hfu + row.digit / 2) << row.name << " " << row.rate;
    EXPECT_GT(highest * 4 / 3, row.hfu - row.digit / 2) << row.name << " " << row.rate;
  }
}

// The graph counts products only: positions, biases and norms are in N and do no arithmetic.
TEST(FlopConvention, TheGraphOfMptDoesTheFlopOfTheConvention) {
  const WorkloadGraph mpt7 = build("mpt-7b", 2048);
  EXPECT_NEAR(per_token(mpt7) / six_n(static_cast<double>(mpt7.parameters()), 32, 4096, 2048), 1,
              0.0015);
  const WorkloadGraph mpt70 = build("mpt-70b", 2048);
  EXPECT_NEAR(per_token(mpt70) / six_n(static_cast<double>(mpt70.parameters()), 80, 8192, 2048), 1,
              0.0005);
  // The released network has none of the three but the norms.
  const WorkloadGraph released = build_workload(workload_registry(), "mpt-7b",
                                                {.seq = 2048, .choose = {{"variant", "released"}}});
  EXPECT_NEAR(
      per_token(released) / six_n(static_cast<double>(released.parameters()), 32, 4096, 2048), 1,
      0.0001);
  const WorkloadGraph recomputed = with_recomputation(mpt70, Recomputation::kBlocks);
  // The head is not recomputed, which the published 4/3 ignores: less than half a percent.
  EXPECT_NEAR(
      (recomputed.training_flops() + recomputed_flops(recomputed)) / recomputed.training_flops(),
      4.0 / 3, 0.005);
}

// A table of positions is as long as the sequence: NumParams of the 7b rows from 512 to 65536.
TEST(FlopConvention, CountsMptsPositionsAsLlmFoundryDoes) {
  const std::pair<std::int64_t, std::int64_t> published[] = {
      {512, 6652567552},  {1024, 6654664704},  {4096, 6667247616},
      {8192, 6684024832}, {16384, 6717579264}, {65536, 6918905856}};
  for (const auto& [seq, parameters] : published) {
    EXPECT_EQ(build("mpt-7b", seq).parameters(), parameters) << seq;
  }
}

// torchtitan's Llama 3.1 8B on H100: N without the input embedding.
TEST(FlopConvention, ReproducesTorchtitansUtilisation) {
  const WorkloadGraph llama = build("llama3-8b", 8192);
  const double embedding = 128256.0 * 4096;
  EXPECT_NEAR(
      per_token(llama) / six_n(static_cast<double>(llama.parameters()) - embedding, 32, 4096, 8192),
      1, 0.0002);
  EXPECT_NEAR(per_token(llama) * 5762 / kH100Bf16Peak, 0.337, 0.0006);
  EXPECT_NEAR(per_token(llama) * 6667 / kH100Bf16Peak, 0.390, 0.0006);
}

}  // namespace
}  // namespace paceline
