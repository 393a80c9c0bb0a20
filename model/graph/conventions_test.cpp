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

// MosaicML's table of MPT on H100 (llm-foundry, scripts/train/benchmarking).
TEST(FlopConvention, ReproducesMosaicMlsUtilisation) {
  const WorkloadGraph mpt7 = build("mpt-7b", 2048);
  EXPECT_NEAR(per_token(mpt7) / six_n(static_cast<double>(mpt7.parameters()), 32, 4096, 2048), 1,
              0.0002);
  EXPECT_NEAR(per_token(mpt7) * 10643, 459e12, 0.6e12);
  EXPECT_NEAR(per_token(mpt7) * 10643 / kH100Bf16Peak, 0.464, 0.0006);
  EXPECT_NEAR(per_token(mpt7) * 10475 / kH100Bf16Peak, 0.457, 0.0006);
  EXPECT_NEAR(per_token(mpt7) * 9670 / kH100Bf16Peak, 0.422, 0.0006);

  const WorkloadGraph mpt70 = with_recomputation(build("mpt-70b", 2048), Recomputation::kBlocks);
  const double mfu = per_token(mpt70) * 1058 / kH100Bf16Peak;
  EXPECT_NEAR(mfu, 0.434, 0.001);  // from a rate of four digits
  const double hardware =
      (mpt70.training_flops() + recomputed_flops(mpt70)) / mpt70.training_flops();
  // The head is not recomputed, which the published 4/3 ignores: less than half a percent.
  EXPECT_NEAR(hardware, 4.0 / 3, 0.005);
  EXPECT_NEAR(mfu * hardware, 0.578, 0.003);
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
