#include "traces/timeline/counter_means.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

SimTime ns(std::int64_t value) { return SimTime::from_picoseconds(1000 * value); }

// Two kernels of gpu0 between 100 and 200 ns; the host works longer.
Timeline with_counter(Counter counter) {
  Timeline timeline;
  const TrackId stream = timeline.add_track("gpu0/stream 7");
  const TrackId host = timeline.add_track("cpu/thread 1");
  timeline.add({ns(0), ns(900), host, {}, kNoSpan});
  timeline.add({ns(100), ns(120), stream, {}, kNoSpan});
  timeline.add({ns(180), ns(200), stream, {}, kNoSpan});
  timeline.add_counter(std::move(counter));
  return timeline;
}

// 8 for 50 ns and 2 for 50 ns: what holds before and after the device's work does not count.
TEST(CounterMeans, AreOverTheTimeOfTheDevicesWork) {
  const auto got = counter_means(
      with_counter({"gpu0/dram read", "B/s", {{ns(0), 8}, {ns(150), 2}, {ns(300), 1000}}}));
  ASSERT_THAT(got, SizeIs(1));
  EXPECT_EQ(got[0].name, "gpu0/dram read");
  EXPECT_EQ(got[0].unit, "B/s");
  EXPECT_DOUBLE_EQ(got[0].mean, 5);
}

TEST(CounterMeans, BeginWithTheFirstPointAndHoldTheLast) {
  EXPECT_DOUBLE_EQ(counter_means(with_counter({"gpu0/x", "", {{ns(190), 3}}})).at(0).mean, 3);
}

TEST(CounterMeans, LeaveOutWhatHasNoWorkOrNoValueMeanwhile) {
  EXPECT_THAT(counter_means(with_counter({"gpu1/x", "", {{ns(0), 3}}})), IsEmpty());
  EXPECT_THAT(counter_means(with_counter({"gpu0/x", "", {{ns(200), 3}}})), IsEmpty());
  EXPECT_THAT(counter_means(with_counter({"gpu0/x", "", {}})), IsEmpty());
}

}  // namespace
}  // namespace paceline
