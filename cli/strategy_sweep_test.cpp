#include "cli/strategy_sweep.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

Experiment point(const std::string& strategy, std::map<std::string, std::string> options) {
  Experiment out;
  out.strategy = strategy;
  out.options = std::move(options);
  return out;
}

// "servers" is of parameter servers only; what nobody knows stays and is refused later.
TEST(StrategySweep, GivesEachStrategyItsOwnOptions) {
  const std::map<std::string, std::string> set = {{"servers", "1"}, {"no_such_option", "2"}};
  std::vector<Experiment> points = {point("ddp", set), point("parameter-server", set)};
  keep_own_options(points);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_FALSE(points[0].options.contains("servers"));
  EXPECT_TRUE(points[1].options.contains("servers"));
  EXPECT_TRUE(points[0].options.contains("no_such_option"));
}

// Two numbers of servers are one point of a strategy that has none.
TEST(StrategySweep, LeavesEqualPointsOnce) {
  std::vector<Experiment> points;
  for (const char* strategy : {"ddp", "parameter-server"}) {
    for (const char* servers : {"1", "2"})
      points.push_back(point(strategy, {{"servers", servers}}));
  }
  keep_own_options(points);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].strategy, "ddp");
  EXPECT_EQ(points[1].options["servers"], "1");
  EXPECT_EQ(points[2].options["servers"], "2");
}

TEST(StrategySweep, LeavesPointsOfOneStrategyAlone) {
  std::vector<Experiment> points = {point("ddp", {{"servers", "1"}}), point("ddp", {})};
  keep_own_options(points);
  EXPECT_EQ(points.size(), 2u);
  EXPECT_TRUE(points[0].options.contains("servers"));
}

}  // namespace
}  // namespace paceline
