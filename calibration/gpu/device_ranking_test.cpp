#include "calibration/gpu/device_ranking.h"

#include <gtest/gtest.h>

#include <cmath>

namespace paceline {
namespace {

UnseenShape shape(const std::string& name, double measured, double predicted) {
  return {.shape = name,
          .group = "",
          .log_error = std::log(predicted / measured),
          .measured = measured};
}

// Three pairs: one told rightly, one wrongly, and one rightly that is closer than 3 %.
TEST(DeviceRanking, CountsRightAndWrongPairs) {
  const std::vector<GpuFold> folds = {
      {"one", kLeftOut, {shape("a", 1, 2), shape("b", 1, 1), shape("c", 1, 1)}},
      {"other", kLeftOut, {shape("a", 2, 3), shape("b", 2, 0.5), shape("c", 1.01, 2)}}};
  const DeviceRanking out =
      ranking_of("gpu.gemm.vector", kLeftOut, pairs_of_folds(folds, kLeftOut));
  EXPECT_EQ(out.pairs, 3);
  EXPECT_NEAR(out.tau, 1.0 / 3, 1e-12);
  EXPECT_EQ(out.clear_pairs, 2);
  EXPECT_EQ(out.clear_tau, 0);
}

TEST(DeviceRanking, LeavesEqualTimesAndOtherSplitsAside) {
  const std::vector<GpuFold> folds = {{"one", kLeftOut, {shape("a", 1, 2)}},
                                      {"other", kLeftOut, {shape("a", 1, 3)}},
                                      {"third", kOwnFit, {shape("a", 5, 5)}}};
  EXPECT_EQ(ranking_of("f", kLeftOut, pairs_of_folds(folds, kLeftOut)).pairs, 0);
}

// A collection may time a shape twice; that makes no second pair.
TEST(DeviceRanking, AShapeCountsOnce) {
  const std::vector<GpuFold> folds = {{"one", kLeftOut, {shape("a", 1, 1), shape("a", 1.2, 1)}},
                                      {"other", kLeftOut, {shape("a", 2, 2)}}};
  EXPECT_EQ(pairs_of_folds(folds, kLeftOut).size(), 1u);
}

}  // namespace
}  // namespace paceline
