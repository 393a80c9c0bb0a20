#include "cli/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

using testing::ElementsAre;

TEST(Sweep, ListsKeepTheirOrder) {
  EXPECT_THAT(parse_counts("--gpus", "4,1,2", 100), ElementsAre(4, 1, 2));
}

TEST(Sweep, RangesStepOrMultiplyAndMayBeMixedWithValues) {
  EXPECT_THAT(parse_counts("--gpus", "1-64*2", 100), ElementsAre(1, 2, 4, 8, 16, 32, 64));
  EXPECT_THAT(parse_counts("--gpus", "1-10+3", 100), ElementsAre(1, 4, 7, 10));
  EXPECT_THAT(parse_counts("--gpus", "2-4,9", 100), ElementsAre(2, 3, 4, 9));
}

TEST(Sweep, RefusesWhatIsNotACount) {
  for (const char* text : {"", "0", "-1", "x", "1.5", "1e3", "nan", "101", "1,,2", "3-1", "1-8*1",
                           "1-8+0", "1-", "1-8*", "99999999999999999999"}) {
    EXPECT_THROW(parse_counts("--gpus", text, 100), UsageError) << text;
  }
}

TEST(Sweep, ValuesAreNamesUnlessTheyAreRangesOfNumbers) {
  EXPECT_THAT(parse_values("--set k", "1-8*2,25"), ElementsAre("1", "2", "4", "8", "25"));
  EXPECT_THAT(parse_values("--set k", "tf-same-padding,1-bit"),
              ElementsAre("tf-same-padding", "1-bit"));
  EXPECT_THROW(parse_values("--set k", "a,,b"), UsageError);
  EXPECT_THROW(parse_values("--set k", "8-1"), UsageError);
}

TEST(Sweep, RefusesMoreValuesThanAnyoneReads) {
  EXPECT_THROW(parse_counts("--batch", "1-1000000", 1000000), UsageError);
}

}  // namespace
}  // namespace paceline
