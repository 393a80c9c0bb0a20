#include "model/collective/fabric_group.h"

#include <gtest/gtest.h>

#include "model/hardware/cluster_builder.h"

namespace paceline {
namespace {

const StagingModel kStagingOfGroups{0.8, Seconds(10e-6)};

FabricGroup on_cluster(int machines, int per_machine, const char* intra, const char* net) {
  ClusterFlags flags;
  flags.gpus = machines * per_machine;
  flags.gpus_per_node = per_machine;
  flags.intra = intra;
  flags.net = net;
  const ClusterSpec cluster = build_cluster(flags, LinkCatalog::shipped());
  return fabric_group(cluster, {machines, per_machine}, kStagingOfGroups, NcclTuning::shipped(),
                      "volta", 0);
}

void expect_equal(const FabricGroup& a, const FabricGroup& b) {
  EXPECT_EQ(a.group.machines, b.group.machines);
  EXPECT_EQ(a.group.per_machine, b.group.per_machine);
  for (const auto text : {&FabricGroup::fabric_class, &FabricGroup::inner_class,
                          &FabricGroup::bottleneck, &FabricGroup::remedy}) {
    EXPECT_EQ(a.*text, b.*text);
  }
  for (const auto rate :
       {&FabricGroup::inner_rate, &FabricGroup::network_rate, &FabricGroup::bus_rate,
        &FabricGroup::ceiling, &FabricGroup::exchange_rate, &FabricGroup::inner_exchange_rate}) {
    EXPECT_EQ((a.*rate).si(), (b.*rate).si());
  }
  for (const auto time : {&FabricGroup::inner_latency, &FabricGroup::network_latency,
                          &FabricGroup::inner_extra, &FabricGroup::network_extra}) {
    EXPECT_EQ((a.*time).si(), (b.*time).si());
  }
  EXPECT_EQ(a.connections, b.connections);
  EXPECT_EQ(a.direct_neighbours, b.direct_neighbours);
  EXPECT_EQ(a.graph.generation, b.graph.generation);
  EXPECT_EQ(a.graph.nvlink, b.graph.nvlink);
  EXPECT_EQ(a.graph.nvswitch, b.graph.nvswitch);
  EXPECT_EQ(a.graph.channels, b.graph.channels);
  EXPECT_EQ(a.graph.channel_GBps, b.graph.channel_GBps);
  EXPECT_EQ(a.graph.network_latency.si(), b.graph.network_latency.si());
}

// A fabric that is described once and put on more machines is the one that is described for them.
TEST(FabricGroup, OfMoreMachinesFollowsFromThatOfTwo) {
  for (const auto& [per_machine, intra] :
       {std::pair(8, "nvlink2-cube-mesh"), {4, "pcie3-x16"}, {8, "nvswitch2"}, {1, "pcie3-x16"}}) {
    for (const char* net : {"10gbe", "100g-ib", "25 Gb/s@5us"}) {
      const FabricGroup two = on_cluster(2, per_machine, intra, net);
      for (const int machines : {2, 3, 16, 1000}) {
        SCOPED_TRACE(intra);
        expect_equal(on_machines(two, machines), on_cluster(machines, per_machine, intra, net));
      }
    }
  }
}

}  // namespace
}  // namespace paceline
