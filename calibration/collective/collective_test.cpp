#include "calibration/collective/collective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/hardware/cluster_builder.h"

namespace paceline {
namespace {

const std::filesystem::path kCatalog = std::filesystem::path(PACELINE_SOURCE_DIR) / "model/catalog";

NcclTuning tuning() { return NcclTuning::load(kCatalog / "collectives/nccl-2.30.json"); }

HostTuning hosts() { return HostTuning::load(kCatalog / "collectives/host-libraries.json"); }

CollectiveProblem nvswitch_problem() {
  ClusterFlags flags;
  flags.gpus = 8;
  flags.intra = "nvswitch2";
  return {
      "nvswitch2", build_cluster(flags, LinkCatalog::load(kCatalog / "links")), "ampere", {}, 1};
}

// Times made by the formula itself: 9 us + 1 us a step + 1 us of spread, 90 % of the bus, channels
// of 15 GB/s, a ramp of 100 kB, with seeded noise of 1 %.
std::vector<CollectivePoint> synthetic(const CollectiveProblem& problem) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.01);
  const NcclTuning tables = tuning();
  const double truth[] = {9e-6, 1e-6, 15e9, 0.9, 2e-13, 1e-6, 1e5};
  std::vector<CollectivePoint> points;
  for (const int ranks : {2, 4, 8}) {
    const CollectiveGroup group{1, ranks};
    const FabricGroup fabric =
        fabric_group(problem.cluster, group, problem.staging, tables, problem.generation, 1);
    for (double bytes = 1024; bytes < 1e9; bytes *= 2) {
      const NcclOption option =
          tables.options(CollectiveOp::kAllGather, Bytes(bytes), group, fabric.graph).front();
      const auto input =
          protocol_input(CollectiveOp::kAllGather, Bytes(bytes), group, option, fabric.bus_rate);
      const double time = formula::CollectiveProtocol::evaluate(input, truth).total;
      points.push_back({"nccl", CollectiveOp::kAllGather, Bytes(bytes), group,
                        Seconds(time * std::exp(noise(random)))});
    }
  }
  return points;
}

TEST(FitCollectives, RecoversWhatMadeTheTimes) {
  const CollectiveProblem problem = nvswitch_problem();
  const CollectiveFitResult result =
      fit_collectives(problem, synthetic(problem), tuning(), hosts());
  // Bus, channels and copies of large messages all grow with the size: only their sum is known.
  for (const ScoredMessage& message : result.messages) {
    EXPECT_NEAR(message.fitted / message.point.measured, 1, 0.04) << message.point.bytes.si();
  }
  const Fit& ll = result.parameters.at("nccl.all-gather.ring.ll");
  EXPECT_NEAR(ll.value("base") * 1e6, 9, 0.5);
  EXPECT_NEAR(ll.value("step") * 1e6, 1, 0.15);
  // Held-out messages are predicted as well as their noise allows.
  EXPECT_LT(result.errors[0].by_size.mape, 0.03);
  EXPECT_LT(result.errors[0].by_ranks.mape, 0.05);
}

TEST(FitCollectives, ReportsEveryOperationOnce) {
  const CollectiveProblem problem = nvswitch_problem();
  const CollectiveFitResult result =
      fit_collectives(problem, synthetic(problem), tuning(), hosts());
  ASSERT_EQ(result.errors.size(), 2u);
  EXPECT_EQ(result.errors[1].operation, "all-gather");
  EXPECT_EQ(result.errors[1].by_size.count, result.errors[0].by_size.count);
  EXPECT_NE(to_text(result).find("all-gather"), std::string::npos);
}

// Sweeps over links of several rates are one class: 90 % of each rate and 30 us a step, whatever
// the rate, is what the fit must find in times that were made so.
TEST(FitCollectives, FitsOneLawToSweepsOverLinksOfSeveralRates) {
  ClusterFlags flags;
  flags.gpus = 2;
  flags.gpus_per_node = 1;
  flags.net = "1gbe";
  const CollectiveProblem problem{
      "1gbe", build_cluster(flags, LinkCatalog::load(kCatalog / "links")), "ampere", {}, 1};
  const double achieved = problem.cluster.network->achieved / problem.cluster.network->data_sheet;
  std::vector<CollectivePoint> points;
  for (const auto& [link, rate] : {std::pair("1 Gb/s", 125e6), std::pair("50 Mb/s", 6.25e6)}) {
    for (double bytes = 1 << 20; bytes < 1e8; bytes *= 4) {
      const double time = 6e-5 + bytes / (0.9 * achieved * rate);
      points.push_back(
          {"gloo", CollectiveOp::kAllReduce, Bytes(bytes), {2, 1}, Seconds(time), link});
    }
  }
  const CollectiveFitResult result = fit_collectives(problem, points, tuning(), hosts());
  for (const ScoredMessage& message : result.messages) {
    EXPECT_NEAR(message.fitted / message.point.measured, 1, 0.03) << message.point.link;
  }
}

Measurement swept(const std::string& link) {
  Measurement m;
  m.benchmark = "gloo.all_reduce";
  m.axes = {{"bytes", std::int64_t{1 << 20}}, {"ranks", std::int64_t{4}}, {"link", link}};
  m.result_checked = true;
  m.rounds = {{"", 0, true, {0.1}}};
  return m;
}

TEST(CollectivePoints, ARankOfASweepOverLinksIsAMachine) {
  const auto points =
      collective_points({swept("200 Mb/s"), swept("unlimited"), swept("1 Gb/s@2ms")});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].group, (CollectiveGroup{4, 1}));
  EXPECT_EQ(points[0].link, "200 Mb/s");
}

TEST(CollectivePoints, RefusesRanksThatDoNotFillTheMachines) {
  Measurement m;
  m.benchmark = "nccl.all-reduce";
  m.axes = {{"bytes", std::int64_t{1024}},
            {"ranks", std::int64_t{6}},
            {"machines", std::int64_t{4}},
            {"in_place", std::string("no")}};
  m.rounds.push_back({.start = "", .foreign_cpu = 0, .accepted = true, .samples_s = {1e-5}});
  EXPECT_THROW(collective_points({m}), InputError);
  EXPECT_THROW(collective_points({}), InputError);
}

}  // namespace
}  // namespace paceline
