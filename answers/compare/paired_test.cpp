#include "answers/compare/paired.h"

#include <gtest/gtest.h>

#include <cmath>

#include "answers/compare/ranking.h"
#include "answers/compare/sweep.h"

namespace paceline {
namespace {

// A job whose rate is known but for these parts.
Report job(const char* device, double rate, std::vector<IntervalPart> parts) {
  Report r;
  r.experiment.model = "resnet50";
  r.experiment.device = device;
  r.experiment.devices = 8;
  r.experiment.devices_per_machine = 8;
  r.experiment.strategy = "ddp";
  double low = 0, high = 0;
  for (const IntervalPart& part : parts) {
    low = std::hypot(low, part.low);
    high = std::hypot(high, part.high);
  }
  r.throughput_samples_per_s = {rate, rate * std::exp(-high), rate * std::exp(low)};
  r.interval_parts = std::move(parts);
  return r;
}

IntervalPart part(const char* what, double size) { return {what, "test", size, size}; }

double width(const Estimate& ratio) { return std::log(ratio.p95 / ratio.p05); }

// Both are 0.3 longer if collectives of their network are: the ratio moves by what runs differ by.
TEST(PairedRates, AnUnknownThatMovesBothAlikeCancels) {
  const PairedRates paired;
  const Report fast = job("t4", 110, {part("collectives", 0.3)});
  const Report slow = job("t4", 100, {part("collectives", 0.3)});
  const Estimate ratio = paired.ratio(fast, slow);
  EXPECT_NEAR(ratio.median, 1.1, 1e-12);
  EXPECT_NEAR(width(ratio), 2 * paired.repeat(), 1e-9);
  EXPECT_FALSE(holds_one(ratio));
}

// It moves one by 0.3 and the other by 0.1, so their ratio by 0.2.
TEST(PairedRates, AnUnknownThatMovesOneMoreLeavesTheDifference) {
  const PairedRates paired;
  const Estimate ratio = paired.ratio(job("t4", 110, {part("collectives", 0.3)}),
                                      job("t4", 100, {part("collectives", 0.1)}));
  EXPECT_NEAR(std::log(ratio.p95 / ratio.median), std::hypot(0.2, paired.repeat()), 1e-9);
  EXPECT_NEAR(std::log(ratio.median / ratio.p05), std::hypot(0.2, paired.repeat()), 1e-9);
}

// Two devices, or two networks, are two unknowns: 0.3 and 0.4 are 0.5 together.
TEST(PairedRates, UnknownsOfTwoDevicesAreIndependent) {
  const PairedRates paired;
  const Estimate ratio = paired.ratio(job("t4", 110, {part("collectives", 0.3)}),
                                      job("p4", 100, {part("collectives", 0.4)}));
  EXPECT_NEAR(std::log(ratio.p95 / ratio.median), std::hypot(0.5, paired.repeat()), 1e-9);
  EXPECT_TRUE(holds_one(ratio));
}

TEST(PairedRates, CollectivesOfTwoNetworksAreTwoUnknowns) {
  Report one = job("t4", 110, {part("collectives", 0.3)});
  Report other = job("t4", 100, {part("collectives", 0.3)});
  for (Report* r : {&one, &other}) r->experiment.devices_per_machine = 4;
  one.experiment.net = "10gbe";
  other.experiment.net = "25gbe";
  const PairedRates paired;
  EXPECT_EQ(paired.common_share("collectives", one, other), 0);
  EXPECT_EQ(paired.common_share("overlap", one, other), 1);
  other.experiment.net = "10gbe";
  EXPECT_EQ(paired.common_share("collectives", one, other), 1);
}

// ln of one ratio is minus ln of the other, with the ends exchanged.
TEST(PairedRates, TheRatioTheOtherWayRoundIsTheReciprocal) {
  const PairedRates paired;
  const Report a = job("t4", 110, {{"computing in a job", "test", 0, 0.25}, part("links", 0.1)});
  const Report b = job("t4", 100, {{"computing in a job", "test", 0, 0.2}, part("links", 0.3)});
  const Estimate there = paired.ratio(a, b), back = paired.ratio(b, a);
  EXPECT_NEAR(there.median * back.median, 1, 1e-12);
  EXPECT_NEAR(there.p05 * back.p95, 1, 1e-12);
  EXPECT_NEAR(there.p95 * back.p05, 1, 1e-12);
}

// What published jobs of one set have in common is a share: the rest is each job's own.
TEST(PairedRates, ResidualsOfJobsCancelInPart) {
  const Report a = job("t4", 100, {part("computing in a job", 0.2)});
  const double same = width(PairedRates().ratio(a, a));
  Report elsewhere = a;
  elsewhere.experiment.framework = "mxnet";
  const double independent = width(PairedRates().ratio(a, elsewhere));
  EXPECT_GT(same, 2 * PairedRates().repeat());
  EXPECT_LT(same, independent);
}

std::vector<Report> predict(std::vector<Experiment> points) {
  SweepDevices devices;
  SweepOptions options;
  return predict_sweep(points, options, devices).reports;
}

Experiment point(const char* device, Precision precision) {
  Experiment e;
  e.model = "resnet50";
  e.batch = 64;
  e.threads = 0;
  e.device = device;
  e.precision = precision;
  return e;
}

// One GPU's fp16 and fp32 differ by more than what they do not share; two models of a GPU with
// nearly the same rate do not.
TEST(PairedRates, TellSettingsOfOneDeviceApartBetterThanDevices) {
  const std::vector<Report> reports =
      predict({point("a100-sxm-40g", Precision::kFp16), point("a100-sxm-40g", Precision::kTf32),
               point("a100-pcie-40g", Precision::kFp16)});
  ASSERT_EQ(reports.size(), 3u);
  const PairedRates paired;
  const double settings = paired.common_share("computing", reports[0], reports[1]);
  EXPECT_GT(settings, 0);
  EXPECT_LT(settings, 1);
  EXPECT_EQ(paired.common_share("computing", reports[0], reports[2]), 0);
  EXPECT_TRUE(holds_one(paired.ratio(reports[0], reports[2])));
}

// One, two and four devices compute the same on each: what is not known of that is not asked twice.
TEST(PairedRates, JobsOfOneDeviceShareAllThatItComputes) {
  std::vector<Experiment> points;
  for (const std::int64_t devices : {1, 2, 4}) {
    points.push_back(point("v100-sxm2-16g", Precision::kFp32));
    points.back().devices = devices;
    if (devices > 1) points.back().intra = "nvlink2-cube-mesh";
  }
  const std::vector<Report> reports = predict(points);
  ASSERT_EQ(reports.size(), 3u);
  const PairedRates paired;
  for (const Report& report : reports) {
    EXPECT_NEAR(paired.common_share("computing", report, reports[0]), 1, 1e-9);
  }
  const auto ranking = rank_points(reports, RankBy::kThroughput, nullptr);
  for (const RankedPoint& ranked : ranking) EXPECT_FALSE(ranked.tied);
}

}  // namespace
}  // namespace paceline
