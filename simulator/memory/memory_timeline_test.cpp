#include "simulator/memory/memory_timeline.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

// One layer: 100 bytes of weights; 40 bytes come in forward and go in backward.
MemoryTape small_tape() {
  MemoryTape tape;
  tape.enter(TapePhase::kSetup, 0);
  tape.allocate(100, MemoryKind::kWeights);
  tape.enter(TapePhase::kForward, 0);
  const auto maps = tape.allocate(40, MemoryKind::kFeatureMaps);
  tape.enter(TapePhase::kBackward, 0);
  tape.free(maps);
  return tape;
}

Timeline small_timeline() {
  Timeline timeline;
  const TrackId track = timeline.add_track("gpu0/compute");
  const auto span = [&](std::int64_t start, std::int64_t end, SpanKind kind) {
    Span out{SimTime::from_picoseconds(start), SimTime::from_picoseconds(end), track, {}};
    out.label.kind = kind;
    out.label.layer = 0;
    timeline.add(out);
  };
  span(0, 10, SpanKind::kForward);
  span(10, 30, SpanKind::kBackward);
  return timeline;
}

// Feature maps appear with the start of forward and are gone at the end of backward.
TEST(MemoryTimeline, CountersFollowTheSpans) {
  Timeline timeline = small_timeline();
  add_memory_counters(small_tape(), "gpu0", timeline);
  ASSERT_EQ(timeline.counters().size(), 2u);
  EXPECT_EQ(timeline.counters()[0].name, "gpu0/memory: weights");
  const Counter& maps = timeline.counters()[1];
  EXPECT_EQ(maps.name, "gpu0/memory: feature maps");
  ASSERT_EQ(maps.points.size(), 2u);
  EXPECT_EQ(maps.points[0].time.picoseconds(), 0);
  EXPECT_EQ(maps.points[0].value, 40);
  EXPECT_EQ(maps.points[1].time.picoseconds(), 30);
  EXPECT_EQ(maps.points[1].value, 0);
}

// Set-up, forward and backward of the layer; what backward frees is there while it runs.
TEST(MemoryTimeline, ShowsTheMostThatIsAliveDuringEachStep) {
  const std::vector<MemoryTape::Usage> steps = usage_during_steps(small_tape());
  ASSERT_EQ(steps.size(), 4u);  // the first is that of a tape by itself
  const auto maps = static_cast<std::size_t>(MemoryKind::kFeatureMaps);
  EXPECT_EQ(total(steps[1]), 100);
  EXPECT_EQ(steps[2][maps], 40);
  EXPECT_EQ(steps[3][maps], 40);
}

// A drawing with one area per category that occurs, and the capacity where it is near.
TEST(MemoryTimeline, PlotShowsCategoriesAndCapacity) {
  MemoryUse use;
  use.capacity = 200;
  const std::string svg = memory_plot_svg(small_tape(), use, "small");
  EXPECT_EQ(svg.find("<svg"), 0u);
  EXPECT_NE(svg.find("feature maps"), std::string::npos);
  EXPECT_EQ(svg.find("workspace"), std::string::npos);
  EXPECT_NE(svg.find("fits"), std::string::npos);
  use.capacity = 2'000'000;
  EXPECT_EQ(memory_plot_svg(small_tape(), use, "small").find("fits"), std::string::npos);
}

}  // namespace
}  // namespace paceline
