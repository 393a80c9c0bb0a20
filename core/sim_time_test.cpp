#include "core/sim_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"

namespace paceline {
namespace {

TEST(SimTime, RoundsToTheNearestPicosecond) {
  EXPECT_EQ(SimTime::from(Seconds(1e-12)).picoseconds(), 1);
  EXPECT_EQ(SimTime::from(Seconds(1.4e-12)).picoseconds(), 1);
  EXPECT_EQ(SimTime::from(Seconds(1.6e-12)).picoseconds(), 2);
}

TEST(SimTime, RefusesWhatIsNotADuration) {
  EXPECT_THROW(SimTime::from(Seconds(-1e-9)), Error);
  EXPECT_THROW(SimTime::from(Seconds(std::nan(""))), Error);
}

// A network of a bit per hour is what a user typed, not a fault of ours.
TEST(SimTime, RefusesWhatTheClockCannotHoldAsAMistakeOfTheUser) {
  EXPECT_THROW(SimTime::from(Seconds(1e9)), UsageError);
  EXPECT_THROW(SimTime::from(Seconds(std::numeric_limits<double>::infinity())), UsageError);
}

TEST(SimTime, ConvertsBackToSeconds) {
  EXPECT_DOUBLE_EQ(SimTime::from(Seconds(0.25)).seconds().si(), 0.25);
}

}  // namespace
}  // namespace paceline
