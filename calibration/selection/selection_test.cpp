#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "calibration/selection/error_parts.h"
#include "calibration/selection/split.h"

namespace paceline {
namespace {

TEST(Split, HoldsOutAboutAQuarterAndAlwaysTheSame) {
  int held = 0;
  const int shapes = 4000;
  for (int i = 0; i < shapes; ++i) {
    held += is_held_out("gemm NN " + std::to_string(i) + "x64x" + std::to_string(7 * i));
  }
  EXPECT_NEAR(held, shapes / 4, 3 * std::sqrt(shapes * 0.25 * 0.75));
  // Pinned: another hash would silently move shapes between the two sides of published errors.
  EXPECT_EQ(is_held_out("gemm NN 64x64x64"), is_held_out("gemm NN 64x64x64"));
}

// 40 groups of 10 with a group error of 0.06 and an own error of 0.10.
TEST(ErrorParts, SeparatesWhatGroupsShareFromWhatTheyDoNot) {
  std::mt19937 random(1);
  std::normal_distribution<double> shared(0, 0.06), own(0, 0.10);
  std::vector<double> residuals;
  std::vector<std::string> groups;
  for (int g = 0; g < 40; ++g) {
    const double common = shared(random);
    for (int i = 0; i < 10; ++i) {
      residuals.push_back(common + own(random));
      groups.push_back(std::to_string(g));
    }
  }
  const ErrorParts parts = split_errors(residuals, groups);
  EXPECT_TRUE(parts.estimated);
  EXPECT_NEAR(parts.shared_sd, 0.06, 0.02);
  EXPECT_NEAR(parts.own_sd, 0.10, 0.01);
}

// A bias common to all is shared, however small the scatter.
TEST(ErrorParts, ABiasOfAllIsShared) {
  std::vector<double> residuals;
  std::vector<std::string> groups;
  for (int i = 0; i < 40; ++i) {
    residuals.push_back(0.2 + (i % 2 == 0 ? 0.01 : -0.01));
    groups.push_back(std::to_string(i / 8));
  }
  const ErrorParts parts = split_errors(residuals, groups);
  EXPECT_NEAR(parts.shared_sd, 0.2, 0.01);
  EXPECT_NEAR(parts.own_sd, 0.01, 0.002);
}

// With too few groups the total is kept and split by assumption.
TEST(ErrorParts, AssumesASplitWhenItCannotBeSeen) {
  const ErrorParts parts = split_errors({0.1, -0.1, 0.1, -0.1}, {"a", "a", "b", "b"});
  EXPECT_FALSE(parts.estimated);
  EXPECT_NEAR(std::hypot(parts.shared_sd, parts.own_sd), 0.1, 1e-12);
}

}  // namespace
}  // namespace paceline
