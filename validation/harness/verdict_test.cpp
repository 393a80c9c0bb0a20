#include "validation/harness/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Ten cases, all 10 % off; nine of them inside the interval.
ScoredSet set_with(const Thresholds& thresholds) {
  ScoredSet set;
  set.errors.count = 10;
  set.errors.mape = set.errors.median_ape = set.errors.p90_ape = set.errors.max_ape = 0.10;
  set.coverage90 = 0.9;
  set.null_mape = {{"roofline", 0.30}, {"constant_mfu", 0.10}};
  set.thresholds = thresholds;
  return set;
}

TEST(Verdict, EveryLimitIsChecked) {
  EXPECT_THAT(shortfalls(set_with({})), IsEmpty());
  EXPECT_THAT(
      shortfalls(set_with(
          {.mape = 0.1, .median_ape = 0.1, .p90_ape = 0.1, .max_ape = 0.1, .coverage90 = 0.9})),
      IsEmpty());
  EXPECT_THAT(shortfalls(set_with({.mape = 0.09})), ElementsAre(HasSubstr("MAPE 10.0 % is above")));
  EXPECT_THAT(shortfalls(set_with({.median_ape = 0.09})), ElementsAre(HasSubstr("median")));
  EXPECT_THAT(shortfalls(set_with({.p90_ape = 0.09})), ElementsAre(HasSubstr("P90")));
  EXPECT_THAT(shortfalls(set_with({.max_ape = 0.09})), ElementsAre(HasSubstr("largest")));
  EXPECT_THAT(shortfalls(set_with({.coverage90 = 0.91})), ElementsAre(HasSubstr("below 91.0 %")));
  EXPECT_THAT(shortfalls(set_with({.kendall_tau = 0.9})), ElementsAre(HasSubstr("rank tau")));
}

// As good as a null model is not better than it.
TEST(Verdict, ANullModelMustBeBeaten) {
  EXPECT_THAT(shortfalls(set_with({.better_than_nulls = true})),
              ElementsAre(HasSubstr("constant_mfu")));
}

TEST(Verdict, LimitsThatNoCaseIsHeldAgainstAreNotMet) {
  ScoredSet set = set_with({.mape = 0.5});
  set.errors = {};
  EXPECT_FALSE(set.passed());
  set.thresholds = {};
  EXPECT_TRUE(set.passed());
}

}  // namespace
}  // namespace paceline
