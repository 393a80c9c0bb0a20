#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <string>

#include "calibration/selection/error_parts.h"
#include "calibration/selection/split.h"

namespace paceline {
namespace {

std::set<std::string> shapes(int count) {
  std::set<std::string> out;
  for (int i = 0; i < count; ++i) out.insert("gemm NN " + std::to_string(16 * i) + "x64x64");
  return out;
}

TEST(Split, HoldsOutAQuarter) {
  EXPECT_EQ(held_out_shapes(shapes(40)).size(), 10U);
  EXPECT_EQ(held_out_shapes(shapes(7)).size(), 1U);
  EXPECT_TRUE(held_out_shapes(shapes(3)).empty());
  // Small sizes are as likely to be held out as large ones.
  int small = 0;
  for (const std::string& shape : held_out_shapes(shapes(4000))) small += shape.size() < 19;
  EXPECT_GT(small, 0);
}

// Adding one shape to forty moves at most one of the others.
TEST(Split, AShapeKeepsItsSideWhenOthersAreAdded) {
  const auto before = held_out_shapes(shapes(40));
  const auto after = held_out_shapes(shapes(41));
  int moved = 0;
  for (const std::string& shape : before) moved += !after.contains(shape);
  EXPECT_LE(moved, 1);
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

// One timing a thousand times too long hardly widens the error of the others.
TEST(ErrorParts, OneOutlierDoesNotWidenEveryInterval) {
  std::vector<double> residuals;
  std::vector<std::string> groups;
  for (int i = 0; i < 80; ++i) {
    residuals.push_back(i % 2 == 0 ? 0.05 : -0.05);
    groups.push_back(std::to_string(i / 8));
  }
  const double before = split_errors(residuals, groups).own_sd;
  residuals[17] = std::log(1000);
  EXPECT_LT(split_errors(residuals, groups).own_sd, 1.5 * before);
}

// With too few groups the total is kept and split by assumption.
TEST(ErrorParts, AssumesASplitWhenItCannotBeSeen) {
  const ErrorParts parts = split_errors({0.1, -0.1, 0.1, -0.1}, {"a", "a", "b", "b"});
  EXPECT_FALSE(parts.estimated);
  EXPECT_NEAR(std::hypot(parts.shared_sd, parts.own_sd), 0.1, 1e-12);
}

}  // namespace
}  // namespace paceline
