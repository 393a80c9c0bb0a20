#include "model/hardware/machine_paths.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

const std::filesystem::path kCatalog = std::filesystem::path(PACELINE_SOURCE_DIR) / "model/catalog";
const StagingModel kStaging{0.8, Seconds(10e-6)};

class CatalogMachine {
 public:
  explicit CatalogMachine(const std::string& name)
      : cluster(read_cluster(kCatalog / "clusters" / (name + ".json"),
                             LinkCatalog::load(kCatalog / "links"))),
        paths(cluster.machine, kStaging),
        devices(cluster.machine.of_kind(NodeKind::kDevice)) {}

  ClusterSpec cluster;
  MachinePaths paths;
  std::vector<std::size_t> devices;
};

// DGX-1: a quad is fully linked, each device also to its twin in the other quad, nothing else.
TEST(MachinePaths, FollowNvlinkWhereTheCubeMeshHasIt) {
  const CatalogMachine dgx("dgx-1-p100");
  EXPECT_EQ(dgx.paths.between(dgx.devices[0], dgx.devices[3]).kind, PathKind::kNvlink);
  EXPECT_EQ(dgx.paths.between(dgx.devices[0], dgx.devices[4]).kind, PathKind::kNvlink);
  EXPECT_EQ(dgx.paths.between(dgx.devices[0], dgx.devices[5]).kind, PathKind::kStaged);
}

// Tartan (IISWC 2018) measured 18.4 GB/s over NVLink and 9.2 GB/s where copies are staged.
TEST(MachinePaths, StagedCopiesAreSlowerThanNvlink) {
  const CatalogMachine dgx("dgx-1-p100");
  const MachinePath linked = dgx.paths.between(dgx.devices[0], dgx.devices[3]);
  const MachinePath staged = dgx.paths.between(dgx.devices[0], dgx.devices[5]);
  EXPECT_NEAR(linked.rate.si(), 18.4e9, 0.1e9);
  EXPECT_GT(linked.rate.si(), 1.5 * staged.rate.si());
  EXPECT_GT(staged.latency.si(), linked.latency.si());
}

TEST(MachinePaths, NvswitchJoinsEveryPair) {
  const CatalogMachine dgx("dgx-a100");
  for (std::size_t i = 1; i < 8; ++i) {
    EXPECT_EQ(dgx.paths.between(dgx.devices[0], dgx.devices[i]).kind, PathKind::kNvswitch);
  }
}

TEST(MachinePaths, K80DiesCopyThroughTheirSwitchUnlessPeersAreOff) {
  const CatalogMachine with("k80-board");
  const CatalogMachine without("k80-board-no-peers");
  EXPECT_EQ(with.paths.between(with.devices[0], with.devices[1]).kind, PathKind::kPcieSwitch);
  EXPECT_EQ(without.paths.between(without.devices[0], without.devices[1]).kind, PathKind::kStaged);
}

// Old processors forward peer traffic at 6 GB/s, less than a staged copy reaches, so even where
// peer copies are allowed everywhere the copy is staged.
TEST(MachinePaths, StagingBeatsPeerTrafficAcrossSockets) {
  CatalogMachine box("pcie3-8gpu-dual-socket");
  box.cluster.machine.peer_access = PeerAccess::kAll;
  EXPECT_EQ(box.paths.between(box.devices[0], box.devices[7]).kind, PathKind::kStaged);
  EXPECT_EQ(box.paths.between(box.devices[0], box.devices[1]).kind, PathKind::kPcieSwitch);
}

TEST(MachinePaths, SameSocketPeersGoThroughTheProcessor) {
  const CatalogMachine box("pcie3-4gpu-dual-socket");
  EXPECT_EQ(box.paths.between(box.devices[0], box.devices[1]).kind, PathKind::kThroughProcessor);
  EXPECT_EQ(box.paths.between(box.devices[0], box.devices[2]).kind, PathKind::kStaged);
}

// A copy is there and back over the same links.
TEST(MachinePaths, ReverseDirectionUsesTheSameLinksBackwards) {
  const CatalogMachine dgx("dgx-1-v100");
  for (const std::size_t other : {1u, 4u}) {
    const MachinePath there = dgx.paths.between(dgx.devices[0], dgx.devices[other]);
    const MachinePath back = dgx.paths.between(dgx.devices[other], dgx.devices[0]);
    ASSERT_EQ(there.hops.size(), back.hops.size());
    EXPECT_EQ(there.hops.front().link.link, back.hops.back().link.link);
    EXPECT_NE(there.hops.front().link.forward, back.hops.back().link.forward);
    EXPECT_DOUBLE_EQ(there.rate.si(), back.rate.si());
  }
}

TEST(MachinePaths, HostCopiesEndInTheMemoryOfTheOwnSocket) {
  const CatalogMachine dgx("dgx-1-p100");
  const MachinePath path = dgx.paths.to_host(dgx.devices[7]);
  const MachineLink& last = dgx.cluster.machine.links[path.hops.back().link.link];
  EXPECT_EQ(dgx.cluster.machine.nodes[last.b].name, "memory1");
  EXPECT_EQ(path.hops.size(), 3u);
}

TEST(MachinePaths, NetworkCardIsTheNearest) {
  const CatalogMachine dgx("dgx-1-p100");
  const std::vector<std::size_t> nics = dgx.cluster.machine.of_kind(NodeKind::kNic);
  EXPECT_EQ(dgx.paths.nic_of(dgx.devices[0]), nics[0]);
  EXPECT_EQ(dgx.paths.nic_of(dgx.devices[7]), nics[3]);
}

}  // namespace
}  // namespace paceline
