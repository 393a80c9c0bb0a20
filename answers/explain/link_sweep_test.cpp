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

// What the sweep predicts of a network is that network, faster or slower: whatever the catalog has
// at those rates, the transport stays, with its latency, its share of the line rate and the limit
// of one connection.
TEST(NetworkSweep, ChangesNothingButTheRate) {
  const LinkCatalog links = LinkCatalog::shipped();
  for (const char* net : {"100g-ib", "100gbe", "10gbe", "25 Gb/s@7us"}) {
    for (const char* transport : {"", "tcp", "rdma"}) {
      const auto driven = [&](const std::string& name) {
        const LinkSpec link = parse_link(name, LinkUse::kNetwork, links);
        return *transport == '\0' ? link : with_transport(link, transport);
      };
      const LinkSpec base = driven(net);
      std::size_t asked = 0;
      const auto predict = [&](const Experiment& e) {
        const LinkSpec link = driven(*e.net);
        EXPECT_EQ(link.transport, base.transport) << *e.net;
        EXPECT_EQ(link.per_flow, base.per_flow) << *e.net;
        EXPECT_EQ(link.latency, base.latency) << *e.net;
        EXPECT_NEAR(link.achieved / link.data_sheet, base.achieved / base.data_sheet, 1e-9);
        ++asked;
        return overlapped(e);
      };
      network_sweep(job(net), predict, links);
      link_sensitivities(job(net), predict, links);
      EXPECT_EQ(asked, 10u);
    }
  }
}

// The point of the sweep at the network's own rate is the prediction.
TEST(NetworkSweep, HoldsThePredictionItself) {
  bool found = false;
  const auto predict = [&](const Experiment& e) {
    found = found || *e.net == "100gbe";
    return overlapped(e);
  };
  network_sweep(job("100gbe"), predict, LinkCatalog::shipped());
  EXPECT_TRUE(found);
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
