#include "answers/explain/exposure.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

SimTime us(std::int64_t time) { return SimTime::from_picoseconds(1'000'000 * time); }

class Exposure : public testing::Test {
 protected:
  SpanId add(TrackId track, std::int64_t from, std::int64_t to, SpanKind kind,
             SpanId cause = kNoSpan) {
    Span span{us(from), us(to), track, {}, cause};
    span.label.kind = kind;
    return timeline_.add(span);
  }
  Timeline timeline_;
  TrackId compute_ = timeline_.add_track("gpu0/compute");
  TrackId pcie_ = timeline_.add_track("gpu0/pcie");
  TrackId network_ = timeline_.add_track("network");
};

// Backward 0..100; network 60..160 is hidden for 40 of 100; pcie 90..130 overlaps it: of 100..160
// both are exposed for 30, which they share, and the network alone for 30.
TEST_F(Exposure, IsWhatNoKernelHidesSharedByTracksThatRunTogether) {
  add(compute_, 0, 100, SpanKind::kBackward);
  add(network_, 60, 160, SpanKind::kCommunicate);
  add(pcie_, 90, 130, SpanKind::kCommunicate);
  const auto tracks = exposed_communication(timeline_);
  ASSERT_EQ(tracks.size(), 2u);
  EXPECT_EQ(tracks[0].track, "network");
  EXPECT_NEAR(tracks[0].busy.si(), 100e-6, 1e-12);
  EXPECT_NEAR(tracks[0].exposed.si(), 45e-6, 1e-12);
  EXPECT_NEAR(tracks[1].exposed.si(), 15e-6, 1e-12);
}

TEST_F(Exposure, IsNothingWithoutMessages) {
  add(compute_, 0, 100, SpanKind::kBackward);
  EXPECT_TRUE(exposed_communication(timeline_).empty());
}

// Backward, then the message it causes, then the update the message causes: the parts add up.
TEST_F(Exposure, PathPartsAddUpToThePath) {
  const SpanId backward = add(compute_, 0, 100, SpanKind::kBackward);
  const SpanId message = add(network_, 100, 160, SpanKind::kCommunicate, backward);
  add(compute_, 160, 180, SpanKind::kUpdate, message);
  const auto parts = critical_path_parts(timeline_);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].what, "backward on gpu0/compute");
  double share = 0;
  for (const PathPart& part : parts) share += part.share;
  EXPECT_NEAR(share, 1, 1e-12);
}

}  // namespace
}  // namespace paceline
