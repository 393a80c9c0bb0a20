#include <gtest/gtest.h>

#include "core/json_writer.h"
#include "core/temporary_folder.h"
#include "model/hardware/cluster_builder.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;
const fs::path kCatalog = fs::path(PACELINE_SOURCE_DIR) / "model/catalog";

LinkCatalog links() { return LinkCatalog::load(kCatalog / "links"); }

std::string read_message(const std::string& nodes, const std::string& edges,
                         const std::string& rest = "") {
  const TemporaryFolder folder;
  const fs::path file = folder / "cluster.json";
  write_text_file(file, R"({"schema":"paceline.cluster/1","name":"x","summary":"x","source":"x",)"
                        R"("peer_access":"all","nodes":[)" +
                            nodes + R"(],"links":[)" + edges + "]" + rest + "}");
  try {
    read_cluster(file, links());
  } catch (const InputError& error) {
    const std::string text = error.what();
    return text.substr(text.find(".json") + 5);
  }
  return "no error";
}

constexpr const char* kNodes =
    R"({"name":"gpu0","kind":"device"},{"name":"gpu1","kind":"device"},)"
    R"({"name":"s0","kind":"pcie-switch"},{"name":"s1","kind":"pcie-switch"})";

TEST(ReadCluster, EveryShippedMachineLoadsAndNamesItself) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kCatalog / "clusters")) {
    const ClusterSpec cluster = read_cluster(entry.path(), links());
    EXPECT_EQ(cluster.name + ".json", entry.path().filename().string());
    EXPECT_GE(cluster.device_count(), 1);
    EXPECT_FALSE(cluster.source.empty());
    ++count;
  }
  EXPECT_GE(count, 20);
}

TEST(ReadCluster, RefusesADeviceThatNothingReaches) {
  EXPECT_EQ(read_message(kNodes, R"({"between":["gpu0","s0"],"link":"pcie3-x16"},)"
                                 R"({"between":["s1","s0"],"link":"pcie3-x16"})"),
            ": gpu1 cannot be reached from gpu0; add the link that connects it");
}

TEST(ReadCluster, RefusesACycleOfSwitches) {
  EXPECT_EQ(read_message(kNodes, R"({"between":["gpu0","s0"],"link":"pcie3-x16"},)"
                                 R"({"between":["gpu1","s0"],"link":"pcie3-x16"},)"
                                 R"({"between":["s0","s1"],"link":"pcie3-x16"},)"
                                 R"({"between":["s1","s0"],"link":"pcie3-x16"})"),
            ": the PCIe link between s1 and s0 closes a cycle; PCIe is a tree below each "
            "processor");
}

TEST(ReadCluster, RefusesUnknownNodesAndLinks) {
  EXPECT_EQ(read_message(kNodes, R"({"between":["gpu0","s2"],"link":"pcie3-x16"})"),
            ":/links/0/between: unknown node \"s2\"; did you mean s0, s1?");
  const std::string message =
      read_message(kNodes, R"({"between":["gpu0","s0"],"link":"pcie3x17"})");
  EXPECT_NE(message.find("did you mean pcie3-x16"), std::string::npos) << message;
}

TEST(ReadCluster, RefusesRatesThatAreNotPositive) {
  const std::string rate =
      R"("name":"x","summary":"x","kind":"pcie","wiring":"cable","data_sheet":"-2 GB/s",)"
      R"("achieved":"1 GB/s","latency":"1 us","sources":{"data_sheet":"a"})";
  const std::string message =
      read_message(kNodes, R"({"between":["gpu0","s0"],"rate":{)" + rate + "}}");
  EXPECT_NE(message.find("/links/0/rate/data_sheet"), std::string::npos) << message;
}

TEST(ReadCluster, SeveralMachinesNeedANetwork) {
  EXPECT_EQ(read_message(R"({"name":"gpu0","kind":"device"})", "", R"(,"machines":2)"),
            ":/network: missing: several machines need a network");
}

ClusterFlags flags_of(int gpus, int per_node, const char* intra, const char* net) {
  ClusterFlags flags;
  flags.gpus = gpus;
  if (per_node > 0) flags.gpus_per_node = per_node;
  if (intra != nullptr) flags.intra = intra;
  if (net != nullptr) flags.net = net;
  return flags;
}

TEST(BuildCluster, MakesWholeMachines) {
  const ClusterSpec cluster = build_cluster(flags_of(16, 4, "pcie3-x16", "10gbe"), links());
  EXPECT_EQ(cluster.machines, 4);
  EXPECT_EQ(cluster.machine.device_count(), 4u);
  EXPECT_EQ(cluster.machine.of_kind(NodeKind::kNic).size(), 1u);
}

TEST(BuildCluster, CubeMeshHasFourOrSixLinksADevice) {
  for (const auto& [name, wanted] : {std::pair{"nvlink1-cube-mesh", 4}, {"nvlink2-cube-mesh", 6}}) {
    const ClusterSpec cluster = build_cluster(flags_of(8, 0, name, nullptr), links());
    const std::vector<std::size_t> devices = cluster.machine.of_kind(NodeKind::kDevice);
    for (const std::size_t device : devices) {
      int lanes = 0;
      for (const MachineLink& link : cluster.machine.links) {
        const bool touches = link.a == device || link.b == device;
        if (touches && link.link.kind == LinkKind::kNvlink) lanes += link.link.lanes;
      }
      EXPECT_EQ(lanes, wanted) << name;
    }
  }
}

TEST(BuildCluster, RefusesWhatCannotBe) {
  EXPECT_THROW(build_cluster(flags_of(0, 0, "pcie3-x16", nullptr), links()), UsageError);
  EXPECT_THROW(build_cluster(flags_of(16, 4, "pcie3-x16", nullptr), links()), UsageError);
  EXPECT_THROW(build_cluster(flags_of(8, 3, "pcie3-x16", "10gbe"), links()), UsageError);
  EXPECT_THROW(build_cluster(flags_of(8, 8, nullptr, nullptr), links()), UsageError);
  EXPECT_THROW(build_cluster(flags_of(9, 9, "nvlink2-cube-mesh", nullptr), links()), UsageError);
}

}  // namespace
}  // namespace paceline
