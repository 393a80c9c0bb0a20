#include "validation/harness/rank_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/error.h"
#include "validation/harness/score.h"

namespace paceline {
namespace {

using Values = std::vector<double>;

TEST(RankOrder, IsOneForTheSameOrderAndMinusOneForTheOpposite) {
  const Values measured{1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(rank_order(Values{10, 20, 30, 40}, measured, 0.03)->tau, 1);
  EXPECT_DOUBLE_EQ(rank_order(Values{4, 3, 2, 1}, measured, 0.03)->tau, -1);
  // One of six pairs the other way round: (5 - 1) / 6.
  EXPECT_DOUBLE_EQ(rank_order(Values{2, 1, 3, 4}, measured, 0.03)->tau, 4.0 / 6);
}

// 100 and 102 are one measurement within 3 %: whichever comes first in the prediction is right.
TEST(RankOrder, PairsThatWereMeasuredAlikeDoNotCount) {
  const std::optional<RankOrder> order =
      rank_order(Values{102, 100, 50}, Values{100, 102, 50}, 0.03);
  EXPECT_EQ(order->pairs, 2U);
  EXPECT_DOUBLE_EQ(order->tau, 1);
  EXPECT_EQ(rank_order(Values{102, 100, 50}, Values{100, 102, 50}, 0)->pairs, 3U);
  EXPECT_FALSE(rank_order(Values{1, 2}, Values{100, 101}, 0.03).has_value());
}

// Whoever predicts the same for all has no order to show.
TEST(RankOrder, EqualPredictionsAreNoOrder) {
  EXPECT_DOUBLE_EQ(rank_order(Values{7, 7, 7}, Values{1, 2, 3}, 0.03)->tau, 0);
}

// The published table ranks samples/s within each network, 4 to 32 devices, seven ways to
// aggregate: 0.9 is wanted of every column.
TEST(RankOrder, OfWaysToAggregateIsThatOfThePublishedTable) {
  const std::vector<ValidationSet> sets = shipped_validation_sets({"ddl-benchmarks-resnet50"});
  const Validation validation = validate(sets);
  ASSERT_EQ(validation.sets.size(), 1U);
  const std::vector<GroupOrder>& orders = validation.sets[0].orders;
  ASSERT_EQ(orders.size(), 3U);
  for (const GroupOrder& order : orders) {
    EXPECT_GE(order.by_rate.tau, 0.9) << order.group;
    EXPECT_GE(order.by_rate.pairs, 100U) << order.group;
    // Iteration times differ less, so their order is harder; 10 GbE misses 0.9 by its servers
    // (docs/decisions/101-order-of-ways-to-aggregate.md).
    EXPECT_GE(order.by_time.tau, order.group == "10gbe" ? 0.7 : 0.9) << order.group;
  }
}

}  // namespace
}  // namespace paceline
