#include "traces/timeline/timeline.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

SimTime ps(std::int64_t value) { return SimTime::from_picoseconds(value); }

TEST(Timeline, ReturnsTheSpansThatWereAdded) {
  Timeline timeline;
  const TrackId stream = timeline.add_track("gpu0/compute");
  Span span{ps(10), ps(30), stream, {}, kNoSpan};
  span.label.name = timeline.add_name("conv1");
  span.label.kind = SpanKind::kForward;
  const SpanId id = timeline.add(span);
  EXPECT_EQ(timeline[id], span);
  EXPECT_EQ(timeline.name(timeline[id].label.name), "conv1");
  EXPECT_EQ(timeline.track_name(stream), "gpu0/compute");
}

TEST(Timeline, MakespanReachesFromTheFirstStartToTheLastEnd) {
  Timeline timeline;
  EXPECT_EQ(timeline.makespan(), SimTime());
  const TrackId track = timeline.add_track("host");
  timeline.add({ps(40), ps(50), track, {}, kNoSpan});
  timeline.add({ps(10), ps(90), track, {}, kNoSpan});
  timeline.add({ps(20), ps(30), track, {}, kNoSpan});
  EXPECT_EQ(timeline.makespan(), ps(80));
}

TEST(Timeline, RefusesSpansThatEndBeforeTheyStartOrLieOnNoTrack) {
  Timeline timeline;
  EXPECT_THROW(timeline.add({ps(1), ps(2), TrackId{0}, {}, kNoSpan}), Error);
  const TrackId track = timeline.add_track("host");
  EXPECT_THROW(timeline.add({ps(2), ps(1), track, {}, kNoSpan}), Error);
}

TEST(NameTable, StoresEachTextOnceAndZeroIsEmpty) {
  NameTable names;
  const NameId first = names.intern("relu");
  EXPECT_EQ(names.intern("relu"), first);
  EXPECT_NE(names.intern("relu2"), first);
  EXPECT_EQ(names.text(NameId{}), "");
}

TEST(SpanKind, HasADistinctTextForEachKind) {
  for (int a = 0; a < kSpanKinds; ++a) {
    for (int b = 0; b < a; ++b) {
      EXPECT_NE(to_text(static_cast<SpanKind>(a)), to_text(static_cast<SpanKind>(b)));
    }
  }
}

}  // namespace
}  // namespace paceline
