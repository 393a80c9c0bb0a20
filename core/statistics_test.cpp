#include "core/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace paceline {
namespace {

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.9), 9);
  EXPECT_THROW(median({}), Error);
}

TEST(Statistics, TheConfidenceIntervalShrinksWithTheRootOfTheSampleCount) {
  // For {9, 11}: mean 10, sd sqrt(2), t(1 degree, 97.5 %) = 12.706.
  const std::vector<double> two = {9, 11};
  EXPECT_NEAR(relative_confidence_half_width(two), 12.7062 * std::sqrt(2.0) / std::sqrt(2.0) / 10,
              1e-4);
  EXPECT_TRUE(std::isinf(relative_confidence_half_width(std::vector<double>{1})));
}

TEST(Statistics, KendallTauComparesOrders) {
  const std::vector<double> up = {1, 2, 3, 4};
  const std::vector<double> down = {4, 3, 2, 1};
  const std::vector<double> one_swap = {2, 1, 3, 4};
  EXPECT_DOUBLE_EQ(kendall_tau(up, up), 1);
  EXPECT_DOUBLE_EQ(kendall_tau(up, down), -1);
  EXPECT_DOUBLE_EQ(kendall_tau(up, one_swap), 4.0 / 6);  // five pairs agree, one does not
}

TEST(Statistics, ErrorsAreSummarizedOverTheSet) {
  const std::vector<double> measured = {100, 100, 100, 100};
  const std::vector<double> predicted = {110, 90, 100, 120};
  const ErrorSummary summary = summarize_errors(predicted, measured);
  EXPECT_EQ(summary.count, 4u);
  EXPECT_NEAR(summary.mape, 0.10, 1e-12);
  EXPECT_NEAR(summary.median_ape, 0.10, 1e-12);
  EXPECT_NEAR(summary.max_ape, 0.20, 1e-12);
  EXPECT_NEAR(summary.bias, std::pow(1.1 * 0.9 * 1.2, 0.25) - 1, 1e-12);
}

}  // namespace
}  // namespace paceline
