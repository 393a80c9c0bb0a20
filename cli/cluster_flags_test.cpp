#include "cli/cluster_flags.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/json_writer.h"
#include "core/temporary_folder.h"

namespace paceline {
namespace {

using Values = std::map<std::string, std::vector<std::string>>;

ClusterChoice read(const Values& values) {
  static std::ostringstream nowhere;
  return read_cluster_choice(Arguments({"paceline"}, values, nowhere));
}

TEST(ClusterFlags, BuildWholeMachines) {
  const ClusterChoice choice = read({{"gpus", {"16"}},
                                     {"gpus-per-node", {"4"}},
                                     {"intra", {"pcie3-x16"}},
                                     {"net", {"10gbe"}},
                                     {"device", {"Tesla V100-PCIE-16GB"}}});
  EXPECT_EQ(choice.cluster.machines, 4);
  EXPECT_EQ(choice.ranks, 16);
  EXPECT_EQ(choice.generation, "volta");
  EXPECT_EQ(choice.connections, 0) << "left to the library";
}

TEST(ClusterFlags, FindMachinesByNameInAnyCase) {
  const ClusterChoice choice = read({{"cluster", {"DGX H100"}}});
  EXPECT_EQ(choice.cluster.name, "dgx-h100");
  EXPECT_EQ(choice.ranks, 8);
  EXPECT_EQ(choice.generation, "hopper");
  EXPECT_EQ(read({{"cluster", {"dgx-h100"}}, {"gpus", {"4"}}}).ranks, 4);
  EXPECT_EQ(read({{"cluster", {"p3dn.24xlarge"}}, {"nodes", {"2"}}}).ranks, 16);
}

TEST(ClusterFlags, SettingsChooseTransportAndConnections) {
  const Values slow = {{"gpus", {"2"}},
                       {"gpus-per-node", {"1"}},
                       {"net", {"100gbe"}},
                       {"set", {"transport=tcp", "connections=3"}}};
  const ClusterChoice choice = read(slow);
  EXPECT_EQ(choice.connections, 3);
  EXPECT_TRUE(choice.cluster.network->per_flow.has_value());
  Values fast = slow;
  fast["set"] = {"transport=rdma"};
  EXPECT_FALSE(read(fast).cluster.network->per_flow.has_value());
}

// Which of NCCL's tables apply is by the device, else by its NVLinks, else said to be assumed.
TEST(ClusterFlags, SayWhenTheGenerationIsAssumed) {
  EXPECT_EQ(read({{"gpus", {"8"}}, {"intra", {"nvswitch3"}}}).generation, "hopper");
  const ClusterChoice unknown = read({{"gpus", {"4"}}, {"intra", {"pcie4-x16"}}});
  EXPECT_NE(unknown.assumed_tables.find("NCCL tables"), std::string::npos);
  EXPECT_EQ(read({{"gpus", {"4"}}, {"intra", {"16 GB/s"}}}).generation, unknown.generation);
}

TEST(ClusterFlags, ReadTopologies) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "topology.txt";
  write_text_file(file, "     GPU0 GPU1\nGPU0  X  NV12\nGPU1 NV12  X\n");
  const ClusterChoice choice = read({{"topo", {file.string()}}, {"device", {"a100-sxm-80g"}}});
  EXPECT_EQ(choice.ranks, 2);
  EXPECT_EQ(choice.generation, "ampere");
  EXPECT_THROW(read({{"topo", {file.string()}}}), UsageError);
  EXPECT_THROW(read({{"topo", {file.string()}}, {"device", {"a100-sxm-80g"}}, {"net", {"1gbe"}}}),
               UsageError);
}

// A T4 has no NVLink, an RTX 3090 a bridge of 56 GB/s: what a faster link would bring can be
// asked, but is said not to exist.
TEST(ClusterFlags, SayThatADeviceHasNoSuchLinks) {
  const auto warnings = [](const char* device, const char* intra) {
    const ClusterSpec cluster =
        read({{"gpus", {"2"}}, {"device", {device}}, {"intra", {intra}}}).cluster;
    return cluster.warnings.size();
  };
  EXPECT_GT(warnings("t4", "nvswitch3"), warnings("t4", "pcie3-x16"));
  EXPECT_GT(warnings("rtx-3090", "nvlink3-bridge"), warnings("rtx-3090", "pcie4-x16"));
  EXPECT_EQ(warnings("a100-sxm-80g", "nvswitch2"), 0U);
  EXPECT_EQ(warnings("v100-sxm2-16g", "nvlink2-cube-mesh"), 0U);
}

TEST(ClusterFlags, RefuseContradictions) {
  EXPECT_THROW(read({{"cluster", {"dgx-h100"}}, {"topo", {"x"}}}), UsageError);
  EXPECT_THROW(read({{"cluster", {"dgx-h100"}}, {"intra", {"pcie3-x16"}}}), UsageError);
  EXPECT_THROW(read({{"cluster", {"dgx-h100"}}, {"gpus-per-node", {"4"}}}), UsageError);
  EXPECT_THROW(read({{"cluster", {"k80-board"}}, {"nodes", {"2"}}}), UsageError);
  EXPECT_THROW(read({{"cluster", {"dgx-h100"}}, {"set", {"transport"}}}), UsageError);
  EXPECT_THROW(read({{"gpus", {"1000000"}}}), UsageError);
}

}  // namespace
}  // namespace paceline
