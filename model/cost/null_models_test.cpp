#include <gtest/gtest.h>

#include "core/error.h"
#include "model/cost/constant_rate.h"
#include "model/cost/roofline.h"

namespace paceline {
namespace {

const Kernel kSquare{"any.gemm", GemmShape{.m = 1000, .n = 1000, .k = 1000}};

RooflineLimits limits() {
  return {.peak = {{Precision::kFp32, FlopsPerSecond(2e11)}},
          .bandwidth = BytesPerSecond(1e10),
          .cores = 2,
          .source = "data sheet"};
}

// 2 GFLOP against 12 MB: compute at 200 GFLOP/s takes 10 ms, memory at 10 GB/s 1.2 ms.
TEST(Roofline, TakesTheSlowerOfComputeAndMemory) {
  const RooflineCostModel model(limits());
  const KernelCost cost = model.cost(kSquare, {.threads = 2});
  EXPECT_NEAR(cost.time.si(), 0.010, 1e-12);
  EXPECT_EQ(cost.bound, Bound::kCompute);
  EXPECT_EQ(cost.origin.kind, OriginKind::kDataSheet);
  const Kernel thin{"any.gemm", GemmShape{.m = 1000, .n = 1, .k = 1000}};
  EXPECT_NEAR(model.cost(thin, {.threads = 2}).time.si(), 4e-10 * (1000 + 1000 + 1e6), 1e-12);
  EXPECT_EQ(model.cost(thin, {.threads = 2}).bound, Bound::kMemory);
}

TEST(Roofline, FewerThreadsThanCoresGetTheirShareOfThePeak) {
  const RooflineCostModel model(limits());
  EXPECT_NEAR(model.cost(kSquare, {.threads = 1}).time.si(), 0.020, 1e-12);
  EXPECT_NEAR(model.cost(kSquare, {.threads = 8}).time.si(), 0.010, 1e-12);
}

TEST(Roofline, RefusesAPrecisionWithoutAPeak) {
  Kernel half = kSquare;
  half.precision = Precision::kFp16;
  EXPECT_THROW(RooflineCostModel(limits()).cost(half, {}), MissingParameter);
}

TEST(ConstantRate, DividesFlopByTheRateAndGivesStreamsForFree) {
  const ConstantRateCostModel model(FlopsPerSecond(1e11), "measured MFU");
  EXPECT_NEAR(model.cost(kSquare, {}).time.si(), 0.020, 1e-12);
  const Kernel copy{"aten.copy",
                    StreamShape{.elements = 10, .read = Bytes(40), .written = Bytes(40)}};
  EXPECT_EQ(model.cost(copy, {}).time.si(), 0);
}

}  // namespace
}  // namespace paceline
