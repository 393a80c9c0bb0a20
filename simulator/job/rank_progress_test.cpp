#include "simulator/job/rank_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Layer 0 has two gradients, layer 1 has none, layer 2 has one.
RankProgress two_ranks() {
  ComputeProfile profile;
  profile.layers = {"linear", "relu", "classifier"};
  for (const std::uint32_t layer : {0u, 0u, 2u}) {
    GradientTensor tensor;
    tensor.layer = layer;
    profile.gradients.push_back(tensor);
  }
  return RankProgress(profile, 2);
}

// A second micro-batch follows on the same stream, so that it need not wait again.
TEST(RankProgress, WeightsOfALayerAreWaitedForOnce) {
  RankProgress progress = two_ranks();
  progress.set_weights_ready(0, 1, TaskId{8});
  progress.set_weights_ready(0, 0, TaskId{5});
  progress.set_weights_ready(0, 2, TaskId{9});
  EXPECT_THAT(progress.take_weights(0, 0), ElementsAre(TaskId{5}, TaskId{8}));
  EXPECT_THAT(progress.take_weights(0, 0), IsEmpty());
  EXPECT_THAT(progress.take_weights(0, 2), ElementsAre(TaskId{9}));
}

// One message carries the gradients of a whole layer: one edge, not two.
TEST(RankProgress, ATaskThatUpdatesAWholeLayerIsWaitedForAsOne) {
  RankProgress progress = two_ranks();
  progress.set_all_weights_ready(1, TaskId{7});
  EXPECT_THAT(progress.take_weights(1, 0), ElementsAre(TaskId{7}));
  EXPECT_THAT(progress.take_weights(1, 1), IsEmpty());
  EXPECT_THAT(progress.take_weights(0, 0), IsEmpty()) << "the other rank waits for nothing";
}

TEST(RankProgress, WhatBlocksTheIssuingThreadBlocksOneTask) {
  RankProgress progress = two_ranks();
  progress.block(0, TaskId{3});
  progress.block(0, TaskId{4});
  EXPECT_THAT(progress.take_blocks(0), ElementsAre(TaskId{3}, TaskId{4}));
  EXPECT_THAT(progress.take_blocks(0), IsEmpty());
}

TEST(RankProgress, AGradientIsAggregatedAfterItIsFinal) {
  RankProgress progress = two_ranks();
  EXPECT_THROW(progress.ready(0, 2), Error);
  const std::uint32_t gradients[] = {2};
  progress.set_ready(0, gradients, TaskId{6});
  EXPECT_EQ(progress.ready(0, 2), TaskId{6});
  EXPECT_THROW(progress.ready(1, 2), Error);
}

}  // namespace
}  // namespace paceline
