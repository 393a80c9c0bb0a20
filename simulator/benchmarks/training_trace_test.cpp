#include "simulator/benchmarks/training_trace.h"

#include <gtest/gtest.h>

#include "simulator/engine/engine.h"

namespace paceline {
namespace {

TrainingTrace torus(std::int32_t a, std::int32_t b, std::int32_t c) {
  TrainingTrace trace;
  trace.dimensions = {
      {a, BytesPerSecond(400e9)}, {b, BytesPerSecond(50e9)}, {c, BytesPerSecond(25e9)}};
  trace.layers = 5;
  return trace;
}

SimTime simulated(const TrainingTrace& trace, const RankClasses& classes) {
  const TrainingGraph built = build(trace, classes);
  return schedule(built.graph, built.platform).makespan;
}

// One ring of n ranks in one chunk: 2 (n - 1) steps of s / n bytes.
TEST(TrainingTrace, OneRingTakesTheTextbookTime) {
  TrainingTrace trace;
  trace.dimensions = {{8, BytesPerSecond(25e9)}};
  trace.chunks = 1;
  EXPECT_EQ(trace.all_reduce_time(), SimTime::from(Seconds(2 * 7 * 10e6 / 8 / 25e9)));
}

TEST(TrainingTrace, EveryRankAndSendSimulatedGivesTheClosedForm) {
  for (const auto& trace : {torus(2, 2, 2), torus(4, 2, 3), torus(8, 1, 2)}) {
    EXPECT_EQ(simulated(trace, RankClasses::each(trace.ranks())), trace.closed_form());
  }
}

TEST(TrainingTrace, TransfersOverSharedLinksTakeTheSameTimeWhereNothingContends) {
  TrainingTrace trace = torus(4, 2, 3);
  trace.over_shared_links = true;
  EXPECT_EQ(simulated(trace, RankClasses::each(trace.ranks())), trace.closed_form());
}

TEST(TrainingTrace, OneRankOfManyEqualOnesGivesTheSame) {
  for (const auto& trace : {torus(2, 2, 2), torus(4, 4, 4), torus(5, 3, 2)}) {
    const RankClasses classes = trace.symmetric();
    ASSERT_EQ(classes.representatives().size(), 1u);
    EXPECT_EQ(simulated(trace, classes), simulated(trace, RankClasses::each(trace.ranks())));
  }
}

TEST(TrainingTrace, EmitsEverySendOfEveryRank) {
  const TrainingTrace trace = torus(4, 2, 3);
  // 24 ranks, 5 layers: forward, backward, and 4 chunks of 2 (3 + 1 + 2) sends.
  EXPECT_EQ(build(trace, RankClasses::each(24)).graph.size(), 24u * 5u * (2u + 4u * 12u));
}

}  // namespace
}  // namespace paceline
