#include "model/import/topology.h"

#include <gtest/gtest.h>

#include "model/hardware/ring_bandwidth.h"

namespace paceline {
namespace {

LinkCatalog catalog() {
  return LinkCatalog::load(std::filesystem::path(PACELINE_SOURCE_DIR) / "model/catalog/links");
}

ClusterSpec import(const std::string& text, const std::string& nvlink = "nvlink3", int most = 12) {
  const LinkCatalog links = catalog();
  return import_topology(text, "topo.txt", {links.at("pcie4-x16"), nvlink, most, ""}, links);
}

std::string message_of(const std::string& text, const std::string& nvlink = "nvlink3") {
  try {
    import(text, nvlink);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

constexpr const char* kPairs =
    "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\n"
    "GPU0\t X \tNV12\tSYS\tSYS\t0-15\t0\n"
    "GPU1\tNV12\t X \tSYS\tSYS\t0-15\t0\n"
    "GPU2\tSYS\tSYS\t X \tNV12\t16-31\t1\n"
    "GPU3\tSYS\tSYS\tNV12\t X \t16-31\t1\n"
    "\nLegend:\n\n  X    = Self\n";

RingBandwidth ring(const ClusterSpec& cluster, std::size_t count) {
  const MachinePaths paths(cluster.machine, {0.8, Seconds(1e-5)});
  std::vector<std::size_t> devices = cluster.machine.of_kind(NodeKind::kDevice);
  devices.resize(count);
  return ring_bandwidth(cluster.machine, paths, devices);
}

// nccl-tests issue 178: two devices of such a machine reach 208 GB/s, three 20 GB/s.
TEST(ImportTopology, BridgedPairsAreFastAndThreeDevicesAreNot) {
  const ClusterSpec cluster = import(kPairs);
  EXPECT_EQ(cluster.machine.device_count(), 4u);
  const double ratio = ring(cluster, 2).rate / ring(cluster, 3).rate;
  EXPECT_GT(ratio, 8);
  EXPECT_LT(ratio, 16);
  EXPECT_NE(ring(cluster, 3).limit.find("pcie4-x16"), std::string::npos);
}

TEST(ImportTopology, MoreLinksThanTheDeviceHasMeanAnNvswitch) {
  std::string text = "     GPU0 GPU1 GPU2\n";
  text += "GPU0  X  NV12 NV12\nGPU1 NV12  X  NV12\nGPU2 NV12 NV12  X\n";
  const ClusterSpec cluster = import(text);
  EXPECT_EQ(cluster.machine.of_kind(NodeKind::kNvswitch).size(), 1u);
  EXPECT_NEAR(ring(cluster, 3).rate.si(), 274.5e9, 1e9);
}

std::string refusal(const std::string& text, const TopologyLinks& links) {
  try {
    import_topology(text, "topo.txt", links, catalog());
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// A device of that name cannot have them: the matrix is of another one.
TEST(ImportTopology, RefusesMoreNvlinksThanTheDeviceHas) {
  const LinkSpec pcie = catalog().at("pcie3-x16");
  EXPECT_EQ(
      refusal(kPairs, {pcie, "nvlink2", 6, "v100-sxm2-16g"}),
      "topo.txt: GPU0 and GPU1 are joined by NV12, but v100-sxm2-16g has 6 NVLinks; is it the "
      "matrix of another device?");
  EXPECT_EQ(refusal(kPairs, {pcie, "", 0, "t4"}),
            "topo.txt: GPU0 and GPU1 are joined by NV12, but t4 has no NVLink; is it the matrix of "
            "another device?");
  // A cube mesh of six links each; no P100 is behind a switch.
  const std::string uneven =
      "     GPU0 GPU1 GPU2\nGPU0  X  NV4 NV2\nGPU1 NV4  X  NV2\nGPU2 NV2 NV2  X\n";
  EXPECT_EQ(refusal(uneven, {pcie, "nvlink2", 6, "v100-sxm2-16g"}), "no error");
  EXPECT_NE(refusal(uneven, {pcie, "nvlink2", 5, "v100"}).find("6 NVLinks in its row"),
            std::string::npos);
  const std::string all =
      "     GPU0 GPU1 GPU2\nGPU0  X  NV4 NV4\nGPU1 NV4  X  NV4\nGPU2 NV4 NV4  X\n";
  EXPECT_EQ(refusal(all, {pcie, "nvlink2", 6, "v100-sxm2-16g"}), "no error");
  EXPECT_NE(refusal(all, {pcie, "nvlink1", 4, "p100-sxm2"}).find("8 NVLinks in its row"),
            std::string::npos);
}

// nvidia-smi shows the bridge of two RTX 3090 as NV4: four links of together 56 GB/s, not four of
// the 25 GB/s that NVLink 3 has on an A100.
TEST(ImportTopology, ABridgeOfSlowerLinksIsAsFastAsTheDataSheetSays) {
  const LinkCatalog links = catalog();
  TopologyLinks bridge{links.at("pcie4-x16"), "nvlink3", 2, "rtx-3090", true};
  const ClusterSpec cluster =
      import_topology("     GPU0 GPU1\nGPU0  X  NV4\nGPU1 NV4  X\n", "topo.txt", bridge, links);
  EXPECT_TRUE(cluster.machine.of_kind(NodeKind::kNvswitch).empty());
  EXPECT_NEAR(ring(cluster, 2).rate.si(), 2 * links.at("nvlink3").achieved.si(), 1e9);
  EXPECT_NE(
      refusal("     GPU0 GPU1 GPU2\nGPU0  X  NV4 NV4\nGPU1 NV4  X  NV4\nGPU2 NV4 NV4  X\n", bridge)
          .find("a bridge joins two of rtx-3090"),
      std::string::npos);
}

TEST(ImportTopology, PutsDevicesBelowSwitchesAndCardsBesideThem) {
  const ClusterSpec cluster =
      import("     GPU0 GPU1 mlx5_0\nGPU0  X  PIX SYS\nGPU1 PIX  X  SYS\nmlx5_0 SYS SYS  X\n");
  EXPECT_EQ(cluster.machine.of_kind(NodeKind::kPcieSwitch).size(), 1u);
  EXPECT_EQ(cluster.machine.of_kind(NodeKind::kProcessor).size(), 2u);
  EXPECT_EQ(cluster.machine.of_kind(NodeKind::kNic).size(), 1u);
}

// nvidia-smi underlines its header on a terminal, mpirun tags each line: the machine is the same.
TEST(ImportTopology, ReadsThroughEscapesAndPrefixes) {
  const std::string plain = kPairs;
  std::string tagged;
  std::string underlined = "\t\x1b[4mGPU0" + plain.substr(5);
  const std::size_t end = underlined.find('\n');
  underlined = underlined.substr(0, end) + "\x1b[0m" + underlined.substr(end);
  for (std::size_t at = 0; at < underlined.size();) {
    const std::size_t next = underlined.find('\n', at) + 1;
    tagged += "[1,0]<stdout>:" + underlined.substr(at, next - at);
    at = next;
  }
  for (const std::string& text : {underlined, tagged}) {
    const ClusterSpec cluster = import(text);
    EXPECT_EQ(cluster.machine.nodes.size(), import(plain).machine.nodes.size());
    EXPECT_EQ(cluster.machine.links.size(), import(plain).machine.links.size());
  }
}

TEST(ImportTopology, RefusesWhatIsNoMatrix) {
  EXPECT_EQ(message_of("hello\n"),
            "topo.txt: no row of GPU0, GPU1, ...: not the output of nvidia-smi topo -m");
  EXPECT_EQ(message_of("  GPU0 GPU1\nGPU0 X PIX\n"),
            "topo.txt: 1 rows for 2 columns; is it cut off?");
  EXPECT_EQ(message_of("  GPU0 GPU1\nGPU0 X\n"),
            "topo.txt:2: a row of 1 cells, expected 2; is it cut off?");
  EXPECT_EQ(message_of("  GPU0 GPU1\nGPU0 X N/A\nGPU1 N/A X\n"),
            "topo.txt:2: unknown cell \"N/A\"; known: X, PIX, PXB, PHB, NODE, SYS, NV and a count "
            "from 1");
  EXPECT_EQ(message_of("  GPU0 GPU1\nGPU0 X PIX\nGPU1 SYS X\n"),
            "topo.txt: GPU1 and GPU0 see each other differently");
  EXPECT_EQ(message_of("  GPU0 GPU1\nGPU0 X X\nGPU1 X X\n"),
            "topo.txt:2: found X from GPU0 to GPU1; X is of a device with itself, and of no other");
  EXPECT_NE(message_of(kPairs, "").find("name the device"), std::string::npos);
}

}  // namespace
}  // namespace paceline
