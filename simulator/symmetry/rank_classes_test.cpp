#include "simulator/symmetry/rank_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "simulator/engine/engine.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {
namespace {

using testing::ElementsAre;

TEST(RankClasses, EqualRanksInARingAreOneClass) {
  const std::vector<std::uint64_t> equal(8, 7);
  const auto left = [](std::int32_t rank, int) { return (rank + 7) % 8; };
  const RankClasses classes = RankClasses::find(equal, 1, left);
  EXPECT_THAT(classes.representatives(), ElementsAre(0));
  EXPECT_EQ(classes.multiplicity(5), 8);
}

// Rank 2 is slow. Ranks behind it in the ring differ by their distance from it, so all differ.
TEST(RankClasses, OneDifferentRankTellsAllRanksOfARingApart) {
  std::vector<std::uint64_t> colors(8, 0);
  colors[2] = 1;
  const auto left = [](std::int32_t rank, int) { return (rank + 7) % 8; };
  EXPECT_EQ(RankClasses::find(colors, 1, left).representatives().size(), 8u);
}

TEST(RankClasses, SeparatesPipelineStagesButNotTheirReplicas) {
  // 4 stages of 16 ranks; each receives from the same replica of the stage before.
  std::vector<std::uint64_t> stage;
  for (std::uint64_t rank = 0; rank < 64; ++rank) stage.push_back(rank / 16);
  const auto before = [](std::int32_t rank, int) { return rank < 16 ? rank : rank - 16; };
  const RankClasses classes = RankClasses::find(stage, 1, before);
  EXPECT_THAT(classes.representatives(), ElementsAre(0, 16, 32, 48));
  EXPECT_EQ(classes.multiplicity(20), 16);
}

// What the partition promises: equal colors within a class, and partners of one class.
TEST(RankClasses, RanksOfAClassHavePartnersOfOneClass) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const auto ranks = static_cast<std::int32_t>(1 + random() % 40);
    std::vector<std::uint64_t> colors;
    std::vector<std::int32_t> partners;
    for (std::int32_t i = 0; i < ranks; ++i) {
      colors.push_back(random() % 3);
      for (int k = 0; k < 2; ++k) {
        partners.push_back(static_cast<std::int32_t>(random() % std::uint64_t(ranks)));
      }
    }
    const auto partner = [&](std::int32_t rank, int k) {
      return partners[static_cast<std::size_t>(2 * rank + k)];
    };
    const RankClasses classes = RankClasses::find(colors, 2, partner);
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const std::int32_t like = classes.representatives()[std::size_t(classes.class_of(rank))];
      EXPECT_EQ(colors[std::size_t(rank)], colors[std::size_t(like)]);
      for (int k = 0; k < 2; ++k) {
        EXPECT_EQ(classes.class_of(partner(rank, k)), classes.class_of(partner(like, k)));
      }
    }
  }
}

// A data-parallel iteration on nodes whose ranks share one uplink: compute, then a ring step to the
// same rank of the next node, contending with the node's other ranks, `steps` times over.
SimTime iteration(std::int32_t nodes, std::int32_t per_node, const RankClasses& classes) {
  const auto node_of = [&](std::int32_t rank) { return rank / per_node; };
  Platform platform;
  std::vector<ResourceId> uplinks;
  for (std::int32_t n = 0; n < nodes; ++n) {
    uplinks.push_back(platform.add_link("uplink", BytesPerSecond(12.5e9)));
  }
  const auto reps = classes.representatives();
  std::vector<RouteId> routes;
  std::vector<ResourceId> streams;
  for (const std::int32_t rank : reps) {
    const double weight = class_weight(classes, rank, [&](std::int32_t member) {
      return node_of(member) == node_of(rank) ? 1.0 : 0.0;
    });
    const ResourceId uplink = uplinks[static_cast<std::size_t>(node_of(rank))];
    routes.push_back(platform.add_route({"out", {{uplink, weight}}, Seconds(3e-6)}));
    streams.push_back(platform.add_serial("stream"));
  }
  TaskGraphBuilder builder;
  std::vector<TaskId> last(reps.size());
  for (std::size_t c = 0; c < reps.size(); ++c) {
    last[c] = builder.add(fixed_task(SimTime::from(Seconds(2e-3)), streams[c]));
  }
  for (int step = 0; step < 2 * (nodes - 1); ++step) {
    std::vector<TaskId> now;
    for (std::size_t c = 0; c < reps.size(); ++c) {
      const std::int32_t from = (reps[c] + (nodes - 1) * per_node) % (nodes * per_node);
      const auto sender = static_cast<std::size_t>(classes.class_of(from));
      const Task send = transfer_task(Bytes(25e6 / nodes), routes[c]);
      now.push_back(builder.add(send, {last[c], last[sender]}));
    }
    last = now;
  }
  return schedule(std::move(builder).build(), platform).makespan;
}

// The automatic check of the reduction: simulating one rank of each class agrees with simulating
// every rank, up to 64 ranks, with contended links.
TEST(RankClasses, TheReducedRunAgreesWithTheFullRun) {
  for (const auto& [nodes, per_node] : {std::pair{2, 1}, {2, 4}, {4, 4}, {3, 8}, {8, 8}, {16, 4}}) {
    const std::int32_t ranks = nodes * per_node;
    const std::vector<std::uint64_t> equal(static_cast<std::size_t>(ranks), 0);
    const std::int32_t width = per_node;
    const auto before = [ranks, width](std::int32_t rank, int) {
      return (rank + ranks - width) % ranks;
    };
    const RankClasses classes = RankClasses::find(equal, 1, before);
    ASSERT_EQ(classes.representatives().size(), 1u);
    const SimTime full = iteration(nodes, per_node, RankClasses::each(ranks));
    const SimTime reduced = iteration(nodes, per_node, classes);
    EXPECT_NEAR(reduced.seconds() / full.seconds(), 1, 0.01) << nodes << " x " << per_node;
  }
}

}  // namespace
}  // namespace paceline
