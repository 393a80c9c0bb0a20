// Collectives that people measured and published, predicted with the shipped constants. None of
// these figures was used to fit anything.
#include <gtest/gtest.h>

#include "model/collective/collective_model.h"
#include "model/hardware/copy_model.h"
#include "model/import/topology.h"

namespace paceline {
namespace {

const std::filesystem::path kRoot(PACELINE_SOURCE_DIR);

CollectiveModel model() {
  return {NcclTuning::load(kRoot / "model/catalog/collectives/nccl-2.30.json"),
          HostTuning::load(kRoot / "model/catalog/collectives/host-libraries.json"),
          CollectiveParameters::load(kRoot / "calibration/fitted/collectives")};
}

ClusterSpec shipped(const std::string& name) {
  return read_cluster(kRoot / "model/catalog/clusters" / (name + ".json"),
                      LinkCatalog::load(kRoot / "model/catalog/links"));
}

CollectiveCost all_reduce(const ClusterSpec& cluster, int ranks, double bytes,
                          const std::string& generation,
                          std::optional<NcclAlgorithm> algorithm = std::nullopt) {
  const StagingModel staging =
      CopyModel(read_parameters(kRoot / "calibration/fitted/links/copies.json")).staging();
  const CollectiveModel costs = model();
  CollectiveCall call;
  call.bytes = Bytes(bytes);
  call.group = group_of(cluster, ranks);
  call.algorithm = algorithm;
  return costs.cost(call,
                    fabric_group(cluster, call.group, staging, costs.tuning(), generation, 0));
}

// horovod issue 2581: VGG-16 on two p3dn.24xlarge, 100 Gb/s cards of which 10 Gb/s were seen: two
// connections of 5 Gb/s. A step takes 0.167 s on one machine and 0.936 s on two; the 553 MB of
// gradients need 0.83 s at 10 Gb/s.
TEST(PublicCases, VggOverOneTcpConnection) {
  ClusterSpec two = shipped("p3dn.24xlarge");
  two.machines = 2;
  const double slow = all_reduce(two, 16, 553e6, "volta").time.si();
  EXPECT_NEAR(slow / 0.936, 1, 0.15);
  two.network = with_transport(*two.network, "rdma");
  const double fast = all_reduce(two, 16, 553e6, "volta").time.si();
  EXPECT_GT(slow / fast, 5);
}

// nccl-tests issue 178: A100 in pairs of twelve NVLinks, PCIe between them: bus bandwidth 208 GB/s
// on two, 20 GB/s on three.
TEST(PublicCases, MixedNvlinkAndPcieRing) {
  const LinkCatalog links = LinkCatalog::load(kRoot / "model/catalog/links");
  const std::string topo =
      "     GPU0 GPU1 GPU2 GPU3\nGPU0  X  NV12 SYS SYS\nGPU1 NV12  X  SYS SYS\n"
      "GPU2 SYS SYS  X  NV12\nGPU3 SYS SYS NV12  X\n";
  const ClusterSpec machine =
      import_topology(topo, "topo", {links.at("pcie4-x16"), "nvlink3", 12, ""}, links);
  const CollectiveCost two = all_reduce(machine, 2, 1e9, "ampere");
  const CollectiveCost three = all_reduce(machine, 3, 1e9, "ampere");
  EXPECT_NEAR(two.bus_rate.si() / 208e9, 1, 0.1);
  EXPECT_NEAR(three.bus_rate.si() / 20e9, 1, 0.1);
  EXPECT_NEAR(two.bus_rate / three.bus_rate / 10, 1, 0.2) << "about tenfold";
  EXPECT_NE(three.bottleneck.find("pcie4"), std::string::npos) << three.bottleneck;
}

// nccl-tests issues 212 and 149: eight H100, bus bandwidth about 480 GB/s with in-switch reduction
// (above the 450 GB/s of the links), about 370 with a ring; eight A100 about 230.
TEST(PublicCases, BusBandwidthOfNvswitchMachines) {
  const double large = 8.0 * (1 << 30);
  const CollectiveCost nvls = all_reduce(shipped("dgx-h100"), 8, large, "hopper");
  EXPECT_EQ(nvls.algorithm, "nvls");
  EXPECT_NEAR(nvls.bus_rate.si() / 480e9, 1, 0.10);
  EXPECT_DOUBLE_EQ(nvls.bus_rate / nvls.algorithm_rate, 1.75);
  const CollectiveCost ring =
      all_reduce(shipped("dgx-h100"), 8, large, "hopper", NcclAlgorithm::kRing);
  // Only two ranks were measured with a ring on this class: the interval says so.
  EXPECT_NEAR(ring.bus_rate.si() / 370e9, 1, 0.10);
  EXPECT_EQ(ring.origin.kind, OriginKind::kExtrapolated);
  const CollectiveCost a100 = all_reduce(shipped("dgx-a100"), 8, large, "ampere");
  EXPECT_NEAR(a100.bus_rate.si() / 230e9, 1, 0.10);
}

}  // namespace
}  // namespace paceline
