#include "answers/explain/link_sweep.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

// A job that computes for 0.1 s and sends 1 GB, whichever takes longer.
Report overlapped(const Experiment& e) {
  static const LinkCatalog links = LinkCatalog::shipped();
  const double rate = parse_link(*e.net, LinkUse::kNetwork, links).data_sheet.si();
  Report report;
  const double time = std::max(0.1, 1e9 / rate);
  report.iteration_time_s = {time, time, time};
  report.breakdown.forward = Seconds(0.1);
  report.breakdown.exposed_communication = Seconds(time - 0.1);
  return report;
}

Experiment job(const char* net) {
  Experiment e;
  e.devices = 16;
  e.devices_per_machine = 8;
  e.net = net;
  return e;
}

// 1 GB in 0.1 s are 80 Gb/s: of 10 Gb/s times 1/4, 1/2, 1, ... the first with 0.1 s is 80.
TEST(NetworkSweep, KneeIsWhereCommunicationHides) {
  const auto sweep = network_sweep(job("10gbe"), overlapped, LinkCatalog::shipped());
  ASSERT_TRUE(sweep && sweep->knee);
  EXPECT_NEAR(sweep->knee->si(), 10e9, 1);
  for (std::size_t i = 1; i < sweep->points.size(); ++i) {
    EXPECT_LE(sweep->points[i].iteration_s.median, sweep->points[i - 1].iteration_s.median);
  }
}

TEST(NetworkSweep, HasNoKneeWhileTheNetworkStillDecides) {
  const auto sweep = network_sweep(job("100 Mb/s"), overlapped, LinkCatalog::shipped());
  ASSERT_TRUE(sweep);
  EXPECT_FALSE(sweep->knee);
}

TEST(NetworkSweep, IsNothingWithinOneMachine) {
  Experiment e = job("10gbe");
  e.devices = 8;
  EXPECT_FALSE(network_sweep(e, overlapped, LinkCatalog::shipped()));
  EXPECT_TRUE(link_sensitivities(e, overlapped, LinkCatalog::shipped()).empty());
}

// From 10 to 20 Gb/s the message takes half the time.
TEST(LinkSensitivities, AreWhatTwiceTheBandwidthChanges) {
  const auto list = link_sensitivities(job("10gbe"), overlapped, LinkCatalog::shipped());
  ASSERT_EQ(list.size(), 1u);
  EXPECT_NEAR(list[0].change, -0.5, 1e-6);
}

}  // namespace
}  // namespace paceline
