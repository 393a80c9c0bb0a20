#include "model/collective/channel_buffers.h"

#include <gtest/gtest.h>

#include "model/hardware/cluster_builder.h"

namespace paceline {
namespace {

const StagingModel kStaging{0.8, Seconds(10e-6)};
constexpr double kMiB = 1 << 20;
// LL 0.5 MiB, LL128 4.6875 MiB, Simple 4 MiB.
constexpr double kAll = 9.1875 * kMiB;

struct Group {
  ClusterSpec cluster;
  FabricGroup fabric;
  NcclTuning tuning = NcclTuning::shipped();
};

Group group(int gpus, int per_node, const char* intra, const char* net, const char* generation,
            std::optional<PeerAccess> peers = std::nullopt) {
  Group out;
  ClusterFlags flags;
  flags.gpus = gpus;
  flags.gpus_per_node = per_node;
  flags.intra = intra;
  if (net != nullptr) flags.net = net;
  out.cluster = build_cluster(flags, LinkCatalog::shipped());
  if (peers) out.cluster.machine.peer_access = *peers;
  out.fabric =
      fabric_group(out.cluster, group_of(out.cluster, gpus), kStaging, out.tuning, generation, 0);
  return out;
}

double buffers(const Group& g) { return channel_buffers(g.cluster, g.fabric, g.tuning).si(); }

// Every channel receives from both neighbours of its ring, from one where there is only one.
TEST(ChannelBuffers, AreOfEveryChannelAndNeighbour) {
  const Group eight = group(8, 8, "nvswitch2", nullptr, "ampere");
  const int channels = eight.tuning.communicator_channels(eight.fabric.graph);
  EXPECT_EQ(channels, 24);  // as NCCL says of eight A100
  EXPECT_DOUBLE_EQ(buffers(eight), 2 * channels * kAll);
  const Group two = group(2, 2, "nvswitch2", nullptr, "ampere");
  EXPECT_DOUBLE_EQ(buffers(two), two.tuning.communicator_channels(two.fabric.graph) * kAll);
}

// By hand: 16 channels, 8 steps of 128 KiB up and down, 8 devices, and 2 MiB of credits; what 2.21
// took is 768 MiB, in units of 512. On Blackwell there are 24 channels, 32 over several machines.
TEST(SwitchBuffers, AreOfEveryChannelAndDeviceWhereTheSwitchReduces) {
  const auto buffers_in_switch = [](const Group& g) { return switch_buffers(g.fabric, g.tuning); };
  const LibraryBuffers hopper = buffers_in_switch(group(8, 8, "nvswitch3", nullptr, "hopper"));
  EXPECT_DOUBLE_EQ(hopper.bytes.si(), (16 * 2 * 8 * 0.125 * 8 + 2) * kMiB);
  EXPECT_EQ(hopper.bytes - hopper.below, Bytes(0));
  EXPECT_DOUBLE_EQ((hopper.bytes + hopper.above).si(), 1024 * kMiB);
  EXPECT_FALSE(hopper.source.empty());
  const LibraryBuffers four = buffers_in_switch(group(4, 4, "nvswitch3", nullptr, "hopper"));
  EXPECT_DOUBLE_EQ(four.bytes.si(), (16 * 2 * 4 + 2) * kMiB);
  const LibraryBuffers blackwell =
      buffers_in_switch(group(8, 8, "nvswitch4", nullptr, "blackwell"));
  EXPECT_DOUBLE_EQ(blackwell.bytes.si(), (24 * 2 * 8 + 2) * kMiB);
  const LibraryBuffers spread =
      buffers_in_switch(group(16, 8, "nvswitch4", "400g-ib", "blackwell"));
  EXPECT_DOUBLE_EQ(spread.bytes.si(), (32 * 2 * 8 + 2) * kMiB);
  const LibraryBuffers ampere = buffers_in_switch(group(8, 8, "nvswitch2", nullptr, "ampere"));
  EXPECT_EQ(ampere.bytes + ampere.above, Bytes(0));
}

// Devices that may not read each other's memory exchange through that of the host.
TEST(ChannelBuffers, LieInHostMemoryWhereCopiesAreStaged) {
  EXPECT_GT(buffers(group(4, 4, "pcie3-x16", nullptr, "volta")), 0);
  EXPECT_EQ(buffers(group(4, 4, "pcie3-x16", nullptr, "volta", PeerAccess::kNone)), 0);
}

// A network that writes into device memory needs buffers there; TCP goes through the host.
TEST(ChannelBuffers, OfANetworkAreOnTheDeviceWithRdmaOnly) {
  Group two = group(2, 1, "pcie3-x16", "100gbe", "volta");
  two.cluster.network = with_transport(*two.cluster.network, "tcp");
  EXPECT_EQ(buffers(two), 0);
  two.cluster.network = with_transport(*two.cluster.network, "rdma");
  const int channels = two.tuning.communicator_channels(two.fabric.graph);
  EXPECT_DOUBLE_EQ(buffers(two), channels * (kAll + kAll - 0.5 * kMiB));
}

}  // namespace
}  // namespace paceline
