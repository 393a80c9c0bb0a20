// Small systems whose fair allocation follows from words alone, in the manner of SimGrid's tests of
// its solver.
#include "simulator/engine/max_min.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace paceline {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

TEST(MaxMin, OneFlowGetsTheWholeLink) {
  MaxMinSolver system;
  const auto link = system.add_resource(10);
  system.add_flow();
  system.add_use(link);
  EXPECT_THAT(system.solve(), ElementsAre(10.0));
}

TEST(MaxMin, EqualFlowsShareALinkEqually) {
  MaxMinSolver system;
  const auto link = system.add_resource(12);
  for (int i = 0; i < 3; ++i) {
    system.add_flow();
    system.add_use(link);
  }
  EXPECT_THAT(system.solve(), ElementsAre(4.0, 4.0, 4.0));
}

// Two links in a row of 1 each: the long flow meets a short one on each link, so all get a half.
TEST(MaxMin, ALongFlowSharesEveryLinkOfItsPath) {
  MaxMinSolver system;
  const auto first = system.add_resource(1);
  const auto second = system.add_resource(1);
  system.add_flow();
  system.add_use(first);
  system.add_use(second);
  system.add_flow();
  system.add_use(first);
  system.add_flow();
  system.add_use(second);
  EXPECT_THAT(system.solve(), ElementsAre(0.5, 0.5, 0.5));
}

// The narrow link holds the long flow to 1; its neighbour on the wide link takes all that is left.
TEST(MaxMin, WhatABottleneckedFlowLeavesGoesToTheOthers) {
  MaxMinSolver system;
  const auto wide = system.add_resource(10);
  const auto narrow = system.add_resource(2);
  system.add_flow();
  system.add_use(wide);
  system.add_use(narrow);
  system.add_flow();
  system.add_use(wide);
  system.add_flow();
  system.add_use(narrow);
  EXPECT_THAT(system.solve(), ElementsAre(1.0, 9.0, 1.0));
}

TEST(MaxMin, ACapLeavesTheRestToTheOthers) {
  MaxMinSolver system;
  const auto link = system.add_resource(10);
  system.add_flow(1, 2);
  system.add_use(link);
  system.add_flow();
  system.add_use(link);
  EXPECT_THAT(system.solve(), ElementsAre(2.0, 8.0));
}

TEST(MaxMin, RatesGrowInProportionToShares) {
  MaxMinSolver system;
  const auto link = system.add_resource(12);
  system.add_flow(1);
  system.add_use(link);
  system.add_flow(3);
  system.add_use(link);
  EXPECT_THAT(system.solve(), ElementsAre(3.0, 9.0));
}

// A flow that takes 2 of the link per unit of rate: equal rates x fill the link at x + 2 x = 12.
TEST(MaxMin, WeightsCountWhatAUnitOfRateTakes) {
  MaxMinSolver system;
  const auto link = system.add_resource(12);
  system.add_flow();
  system.add_use(link, 1);
  system.add_flow();
  system.add_use(link, 2);
  EXPECT_THAT(system.solve(), ElementsAre(4.0, 4.0));
}

TEST(MaxMin, AFlowWithoutResourcesRunsAtItsCap) {
  MaxMinSolver system;
  system.add_flow(1, 7);
  EXPECT_THAT(system.solve(), ElementsAre(7.0));
}

// Half of the capacity stays for the second flow, which takes a millionth of a unit of it per unit
// of rate: the huge weight of the first, once settled, must not blur that sum.
TEST(MaxMin, ATinyWeightCountsExactlyBesideAHugeOne) {
  MaxMinSolver system;
  const auto link = system.add_resource(1e9);
  system.add_flow(1, 0.5);
  system.add_use(link, 1e9);
  system.add_flow();
  system.add_use(link, 1e-6);
  const auto rates = system.solve();
  EXPECT_DOUBLE_EQ(rates[0], 0.5);
  EXPECT_NEAR(rates[1] / 5e14, 1, 1e-9);
}

TEST(MaxMin, SystemsThatShareNothingDoNotInfluenceEachOther) {
  MaxMinSolver system;
  const auto a = system.add_resource(4);
  const auto b = system.add_resource(100);
  system.add_flow();
  system.add_use(a);
  system.add_flow();
  system.add_use(b);
  EXPECT_THAT(system.solve(), ElementsAre(4.0, 100.0));
}

TEST(MaxMin, CanBeClearedAndUsedAgain) {
  MaxMinSolver system;
  system.add_flow(1, 7);
  system.solve();
  system.clear();
  const auto link = system.add_resource(3);
  system.add_flow();
  system.add_use(link);
  EXPECT_THAT(system.solve(), ElementsAre(DoubleEq(3.0)));
}

struct RandomSystem {
  struct Flow {
    double share;
    double cap;
    std::vector<std::pair<std::uint32_t, double>> uses;
  };
  std::vector<double> capacities;
  std::vector<Flow> flows;

  explicit RandomSystem(unsigned seed) {
    std::mt19937 random(seed);
    const auto uniform = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    const auto resources = static_cast<std::uint32_t>(1 + random() % 8);
    for (std::uint32_t r = 0; r < resources; ++r) capacities.push_back(uniform(1, 100));
    const auto count = 1 + random() % 12;
    for (std::size_t f = 0; f < count; ++f) {
      Flow flow{uniform(0.5, 2), random() % 2 == 0 ? uniform(0.1, 50) : 1e9, {}};
      for (std::uint32_t r = 0; r < resources; ++r) {
        if (random() % 3 == 0) flow.uses.emplace_back(r, uniform(0.5, 3));
      }
      flows.push_back(flow);
    }
  }

  std::vector<double> rates() const {
    MaxMinSolver system;
    for (const double capacity : capacities) system.add_resource(capacity);
    for (const Flow& flow : flows) {
      system.add_flow(flow.share, flow.cap);
      for (const auto& [resource, weight] : flow.uses) system.add_use(resource, weight);
    }
    const auto rates = system.solve();
    return {rates.begin(), rates.end()};
  }
};

// The definition of weighted max-min fairness: every flow runs at its cap, or crosses a full
// resource on which no other flow has a larger rate / share.
TEST(MaxMin, EveryFlowIsAtItsCapOrHasABottleneck) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const RandomSystem system(seed);
    const std::vector<double> rates = system.rates();
    std::vector<double> used(system.capacities.size(), 0);
    std::vector<double> level(system.capacities.size(), 0);
    for (std::size_t f = 0; f < rates.size(); ++f) {
      for (const auto& [resource, weight] : system.flows[f].uses) {
        used[resource] += weight * rates[f];
        level[resource] = std::max(level[resource], rates[f] / system.flows[f].share);
      }
    }
    for (std::size_t r = 0; r < used.size(); ++r) {
      EXPECT_LE(used[r], system.capacities[r] * (1 + 1e-9)) << "seed " << seed;
    }
    for (std::size_t f = 0; f < rates.size(); ++f) {
      const RandomSystem::Flow& flow = system.flows[f];
      bool is_held = rates[f] >= flow.cap * (1 - 1e-9);
      for (const auto& [resource, weight] : flow.uses) {
        is_held = is_held || (used[resource] >= system.capacities[resource] * (1 - 1e-9) &&
                              rates[f] / flow.share >= level[resource] * (1 - 1e-9));
      }
      EXPECT_TRUE(is_held) << "seed " << seed << ", flow " << f;
    }
  }
}

}  // namespace
}  // namespace paceline
