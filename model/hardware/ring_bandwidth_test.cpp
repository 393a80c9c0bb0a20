#include "model/hardware/ring_bandwidth.h"

#include <gtest/gtest.h>

#include "model/hardware/cluster_builder.h"

namespace paceline {
namespace {

const std::filesystem::path kCatalog = std::filesystem::path(PACELINE_SOURCE_DIR) / "model/catalog";
const StagingModel kStaging{0.8, Seconds(10e-6)};

RingBandwidth ring_of_first(const ClusterSpec& cluster, std::size_t count) {
  const MachinePaths paths(cluster.machine, kStaging);
  std::vector<std::size_t> devices = cluster.machine.of_kind(NodeKind::kDevice);
  devices.resize(count);
  return ring_bandwidth(cluster.machine, paths, devices);
}

ClusterSpec shipped(const std::string& name) {
  return read_cluster(kCatalog / "clusters" / (name + ".json"),
                      LinkCatalog::load(kCatalog / "links"));
}

// On three devices of a triangle two rings of opposite direction are disjoint; on four that are
// fully linked the six directed cycles, each at half a link, fill all twelve arcs: three rings.
TEST(PackRings, FillsSmallCompleteGraphs) {
  const auto complete = [](std::size_t n) {
    std::vector<double> capacity(n * n, 1.0);
    for (std::size_t i = 0; i < n; ++i) capacity[i * n + i] = 0;
    return pack_rings(capacity, n);
  };
  EXPECT_DOUBLE_EQ(complete(2), 1);
  EXPECT_DOUBLE_EQ(complete(3), 2);
  EXPECT_DOUBLE_EQ(complete(4), 3);
}

TEST(PackRings, IsZeroWhereNoRingCloses) {
  // A chain 0 - 1 - 2 has no Hamiltonian cycle.
  EXPECT_DOUBLE_EQ(pack_rings({0, 1, 0, 1, 0, 1, 0, 1, 0}, 3), 0);
}

// Measured all-reduce bus bandwidths of DGX-1 with V100 (vTrain's nccl-tests table, 1 GiB) in units
// of the two-device one: 1, 2.00, 3.79, 2.03 (six), 3.86 (seven), 5.97 (eight).
TEST(RingBandwidth, CountsTheRingsOfTheCubeMesh) {
  const ClusterSpec dgx = shipped("dgx-1-v100");
  EXPECT_DOUBLE_EQ(ring_of_first(dgx, 2).rings, 1);
  EXPECT_DOUBLE_EQ(ring_of_first(dgx, 3).rings, 2);
  EXPECT_DOUBLE_EQ(ring_of_first(dgx, 4).rings, 4);
  EXPECT_DOUBLE_EQ(ring_of_first(dgx, 6).rings, 2);
  EXPECT_DOUBLE_EQ(ring_of_first(dgx, 7).rings, 4);
  EXPECT_DOUBLE_EQ(ring_of_first(dgx, 8).rings, 6);
}

// The fifth device of the cube mesh hangs on one other only, so the ring must leave NVLink.
TEST(RingBandwidth, FiveDevicesOfTheCubeMeshFallBackToPcie) {
  const RingBandwidth five = ring_of_first(shipped("dgx-1-p100"), 5);
  EXPECT_EQ(five.path, PathKind::kStaged);
  EXPECT_LT(five.rate.si(), 13e9);
}

TEST(RingBandwidth, NvswitchGivesEveryGroupAllLanes) {
  const ClusterSpec dgx = shipped("dgx-a100");
  EXPECT_DOUBLE_EQ(ring_of_first(dgx, 2).rate.si(), ring_of_first(dgx, 8).rate.si());
}

// nccl-tests issue 178: pairs joined by twelve NVLinks reach 208 GB/s, three devices 20 GB/s,
// because the ring must cross PCIe.
TEST(RingBandwidth, RingThroughBridgedPairsIsAsSlowAsItsPcieHop) {
  const LinkCatalog catalog = LinkCatalog::load(kCatalog / "links");
  ClusterFlags flags;
  flags.gpus = 4;
  flags.intra = "nvlink3-bridge";
  const ClusterSpec box = build_cluster(flags, catalog);
  const RingBandwidth pair = ring_of_first(box, 2);
  const RingBandwidth three = ring_of_first(box, 3);
  EXPECT_GT(pair.rate.si(), 8 * three.rate.si());
  EXPECT_NE(three.limit.find("pcie4-x16"), std::string::npos) << three.limit;
}

}  // namespace
}  // namespace paceline
