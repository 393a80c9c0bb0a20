#include "simulator/fabric/message_collective.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "model/hardware/cluster_builder.h"

namespace paceline {
namespace {

const StagingModel kStaging{0.82, Seconds(10e-6)};

ClusterSpec cluster_of(int gpus, int per_machine, const char* intra, const char* net) {
  ClusterFlags flags;
  flags.gpus = gpus;
  flags.gpus_per_node = per_machine;
  if (per_machine > 1) flags.intra = intra;
  if (gpus > per_machine) flags.net = net;
  return build_cluster(flags, LinkCatalog::shipped());
}

MessageRun run(const ClusterSpec& cluster, const char* algorithm, double bytes, int jobs = 1,
               int servers = 1) {
  MessageCollective collective;
  collective.algorithm = algorithm;
  collective.jobs = jobs;
  collective.shape.bytes = Bytes(bytes);
  collective.shape.group = {cluster.machines, static_cast<int>(cluster.machine.device_count())};
  collective.shape.servers = servers;
  return run_messages(cluster, kStaging, collective);
}

// Devices of an NVSwitch have a way of their own to each other, and an exchange uses both
// directions once: what is simulated is the closed form, whatever the number of ranks.
TEST(MessageCollective, HalvingDoublingOnASwitchMatchesItsClosedForm) {
  const LinkSpec link = LinkCatalog::shipped().at("nvswitch3");
  for (const int ranks : {2, 4, 6, 8, 16, 32}) {
    const MessageRun found =
        run(cluster_of(ranks, ranks, "nvswitch3", ""), "halving-doubling", 1e8);
    // A message crosses two links, to the switch and from it.
    const formula::LinkCost<double> way{2 * link.latency.si(), link.achieved.si()};
    const double closed = formula::halving_doubling_time(ranks, 1e8, way);
    EXPECT_NEAR(found.time.si(), closed, 40e-12) << ranks;
  }
}

// Partners at a distance of four are on the other socket: all of them cross one link.
TEST(MessageCollective, MessagesOverASocketLinkContend) {
  const ClusterSpec two_sockets = cluster_of(8, 8, "pcie3-x16", "");
  const ClusterSpec one_socket = cluster_of(4, 4, "pcie3-x16", "");
  const double bytes_ratio = (7.0 / 8) / (3.0 / 4);
  EXPECT_GT(run(two_sockets, "halving-doubling", 1e8).time,
            1.2 * bytes_ratio * run(one_socket, "halving-doubling", 1e8).time);
}

// Four all-reduces over the same network cards take four times as long as one.
TEST(MessageCollective, EqualOnesShareTheLinks) {
  const ClusterSpec machines = cluster_of(8, 1, "", "10gbe");
  for (const char* name : {"halving-doubling", "parameter-server", "hierarchical", "sharp"}) {
    const double one = run(machines, name, 1e8).time.si();
    EXPECT_NEAR(run(machines, name, 1e8, 4).time.si() / one, 4, 0.05) << name;
  }
}

// All workers push to one server's card; eight servers have eight cards.
TEST(MessageCollective, ServersDivideTheLoad) {
  const ClusterSpec machines = cluster_of(8, 1, "", "10gbe");
  const MessageRun one = run(machines, "parameter-server", 1e8, 1, 1);
  const MessageRun eight = run(machines, "parameter-server", 1e8, 1, 8);
  EXPECT_NEAR(one.time / eight.time, 8, 0.2);
  EXPECT_EQ(one.messages, 16u);
  EXPECT_EQ(eight.messages, 128u);
  EXPECT_NE(one.busiest.find("machine8"), std::string::npos) << one.busiest;
}

// The rings of a hierarchy pass each shard between machines once, one ring over all ranks passes
// all data: with shared cards both send the same bytes, but the hierarchy has fewer steps.
TEST(MessageCollective, HierarchyHasFewerStepsThanARingOverAllRanks) {
  const ClusterSpec cluster = cluster_of(32, 8, "nvswitch2", "100g-ib");
  EXPECT_LT(run(cluster, "hierarchical", 1e5).latency, run(cluster, "ring", 1e5).latency);
}

TEST(MessageCollective, RefusesWhatItCannotRun) {
  EXPECT_THROW(run(cluster_of(8, 8, "nvswitch2", ""), "sharp", 1e6), UsageError);
  EXPECT_THROW(run(cluster_of(2048, 1, "", "100g-ib"), "halving-doubling", 1e6), UsageError);
}

}  // namespace
}  // namespace paceline
