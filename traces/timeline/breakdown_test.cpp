#include "traces/timeline/breakdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "traces/timeline/critical_path.h"

namespace paceline {
namespace {

using testing::ElementsAre;

SimTime ps(std::int64_t value) { return SimTime::from_picoseconds(value); }

Label labelled(SpanKind kind, std::int32_t rank = 0, std::int16_t iteration = 0) {
  Label label;
  label.kind = kind;
  label.rank = rank;
  label.iteration = iteration;
  return label;
}

// Backward runs 0-10, communication 6-25, update 30-40: of the communication 6-10 is hidden, 10-25
// exposed; nothing runs 25-30.
Timeline one_iteration() {
  Timeline timeline;
  const TrackId compute = timeline.add_track("gpu0/compute");
  const TrackId network = timeline.add_track("gpu0/network");
  timeline.add({ps(0), ps(10), compute, labelled(SpanKind::kBackward), kNoSpan});
  timeline.add({ps(6), ps(25), network, labelled(SpanKind::kCommunicate), SpanId{0}});
  timeline.add({ps(30), ps(40), compute, labelled(SpanKind::kUpdate), SpanId{1}});
  return timeline;
}

TEST(Breakdown, CountsHiddenCommunicationAsCompute) {
  const TimeBreakdown parts = break_down(one_iteration());
  EXPECT_EQ(parts.of(SpanKind::kBackward), ps(10));
  EXPECT_EQ(parts.of(SpanKind::kCommunicate), ps(15));
  EXPECT_EQ(parts.of(SpanKind::kUpdate), ps(10));
  EXPECT_EQ(parts.idle, ps(5));
}

TEST(Breakdown, CountsCommunicationWholeWhenItIsAskedForFirst) {
  EXPECT_EQ(covered_time(one_iteration(), SpanKind::kCommunicate), ps(19));
}

TEST(Breakdown, CutsSpansAtTheWindow) {
  SpanFilter filter;
  filter.begin = ps(8);
  filter.end = ps(33);
  const TimeBreakdown parts = break_down(one_iteration(), filter);
  EXPECT_EQ(parts.of(SpanKind::kBackward), ps(2));
  EXPECT_EQ(parts.of(SpanKind::kUpdate), ps(3));
  EXPECT_EQ(parts.total(), ps(25));
}

TEST(Breakdown, LooksOnlyAtTheRankAskedFor) {
  Timeline timeline = one_iteration();
  const TrackId other = timeline.add_track("gpu1/compute");
  timeline.add({ps(0), ps(40), other, labelled(SpanKind::kForward, 1), kNoSpan});
  SpanFilter filter;
  filter.rank = 0;
  EXPECT_EQ(break_down(timeline, filter).of(SpanKind::kForward), ps(0));
  filter.rank = 1;
  EXPECT_EQ(break_down(timeline, filter).of(SpanKind::kForward), ps(40));
}

Timeline random_timeline(unsigned seed) {
  std::mt19937 random(seed);
  Timeline timeline;
  for (int t = 0; t < 4; ++t) timeline.add_track("track");
  for (int i = 0; i < 60; ++i) {
    const auto start = static_cast<std::int64_t>(random() % 1000);
    const auto length = static_cast<std::int64_t>(random() % 100);
    const auto kind = static_cast<SpanKind>(random() % kSpanKinds);
    const auto track = static_cast<TrackId>(random() % 4);
    timeline.add({ps(start), ps(start + length), track, labelled(kind), kNoSpan});
  }
  return timeline;
}

TEST(Breakdown, PartsAddUpToTheMakespan) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Timeline timeline = random_timeline(seed);
    EXPECT_EQ(break_down(timeline).total(), timeline.makespan()) << "seed " << seed;
  }
}

// Counting picoseconds one by one, the slow and obvious way.
TEST(BusyByTrack, CountsOverlappingSpansOnce) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Timeline timeline = random_timeline(seed);
    const std::vector<SimTime> busy = busy_by_track(timeline);
    for (std::size_t track = 0; track < timeline.tracks(); ++track) {
      std::vector<bool> is_busy(1200);
      for (std::size_t i = 0; i < timeline.size(); ++i) {
        const Span span = timeline.at(i);
        if (static_cast<std::size_t>(span.track) != track) continue;
        for (std::int64_t t = span.start.picoseconds(); t < span.end.picoseconds(); ++t) {
          is_busy[static_cast<std::size_t>(t)] = true;
        }
      }
      const auto expected = std::count(is_busy.begin(), is_busy.end(), true);
      EXPECT_EQ(busy[track], ps(expected)) << "seed " << seed;
    }
  }
}

TEST(CriticalPath, FollowsCausesBackFromTheLastEndAndNamesTheGaps) {
  const CriticalPath path = critical_path(one_iteration());
  EXPECT_THAT(path.spans, ElementsAre(SpanId{0}, SpanId{1}, SpanId{2}));
  EXPECT_EQ(path.of(SpanKind::kBackward), ps(6)) << "the overlap counts for the later span";
  EXPECT_EQ(path.of(SpanKind::kCommunicate), ps(19));
  EXPECT_EQ(path.gaps, ps(5));
  EXPECT_EQ(path.length(), ps(40));
}

TEST(CriticalPath, IsEmptyForAnEmptyTimeline) {
  EXPECT_TRUE(critical_path(Timeline()).spans.empty());
}

}  // namespace
}  // namespace paceline
