#include "traces/timeline/steady_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

std::vector<SimTime> ends_after(const std::vector<double>& durations_us) {
  std::vector<SimTime> ends;
  double at = 0;
  for (const double duration : durations_us) {
    at += duration;
    ends.push_back(SimTime::from(Seconds(at * 1e-6)));
  }
  return ends;
}

TEST(SteadyState, IsFoundOnceDurationsRepeat) {
  const SteadyState steady = find_steady_state(ends_after({90, 30, 20, 10, 10, 10, 10}));
  EXPECT_TRUE(steady.found);
  EXPECT_EQ(steady.cycle, 1u);
  EXPECT_EQ(steady.first, 3u);
  EXPECT_NEAR(steady.period.si(), 10e-6, 1e-15);
}

TEST(SteadyState, AveragesOverACycleOfAlternatingIterations) {
  const SteadyState two = find_steady_state(ends_after({50, 10, 14, 10, 14, 10, 14}));
  EXPECT_TRUE(two.found);
  EXPECT_EQ(two.cycle, 2u);
  EXPECT_NEAR(two.period.si(), 12e-6, 1e-15);
  const SteadyState three = find_steady_state(ends_after({50, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(three.cycle, 3u);
  EXPECT_NEAR(three.period.si(), 2e-6, 1e-15);
}

TEST(SteadyState, IsNotClaimedForAnIncompleteOrDriftingRun) {
  EXPECT_FALSE(find_steady_state(ends_after({90, 10, 10, 10})).found);
  EXPECT_FALSE(find_steady_state(ends_after({9, 1, 2, 3, 4, 5, 6, 7, 8})).found);
}

TEST(SteadyState, ReportsAMeanWithItsUncertaintyForNoisyRuns) {
  std::vector<double> durations;
  for (int i = 0; i < 101; ++i) durations.push_back(100 + (i * 37) % 11);
  const SteadyState noisy = find_steady_state(ends_after(durations));
  EXPECT_FALSE(noisy.found);
  // The values cycle through 0 ... 10, so their mean is 105.
  EXPECT_NEAR(noisy.period.si(), 105e-6, 1e-6);
  EXPECT_GT(noisy.uncertainty.si(), 0);
  EXPECT_LT(noisy.uncertainty.si(), 3e-6);
}

TEST(SteadyState, NeedsTwoIterations) { EXPECT_THROW(find_steady_state(ends_after({1})), Error); }

TEST(IterationEnds, AreTheLatestEndsOfEachIterationAndNeverGoBack) {
  Timeline timeline;
  const TrackId track = timeline.add_track("host");
  const auto add = [&](std::int16_t iteration, std::int64_t start, std::int64_t end) {
    Label label;
    label.iteration = iteration;
    timeline.add(
        {SimTime::from_picoseconds(start), SimTime::from_picoseconds(end), track, label, kNoSpan});
  };
  add(1, 5, 8);
  add(0, 0, 10);
  add(2, 8, 20);
  EXPECT_THAT(iteration_ends(timeline),
              testing::ElementsAre(SimTime::from_picoseconds(10), SimTime::from_picoseconds(10),
                                   SimTime::from_picoseconds(20)));
  add(4, 20, 21);
  EXPECT_THROW(iteration_ends(timeline), Error);
}

}  // namespace
}  // namespace paceline
