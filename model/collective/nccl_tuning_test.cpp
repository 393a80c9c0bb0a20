#include "model/collective/nccl_tuning.h"

#include <gtest/gtest.h>

#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

NcclTuning tuning() {
  return NcclTuning::load(std::filesystem::path(PACELINE_SOURCE_DIR) /
                          "model/catalog/collectives/nccl-2.30.json");
}

NcclOption best(CollectiveOp op, double bytes, int ranks, const NcclGraph& graph) {
  return tuning().options(op, Bytes(bytes), {1, ranks}, graph).front();
}

NcclGraph a100() { return tuning().graph("ampere", "nvlink3", 12, true, {}, {}); }
NcclGraph h100() { return tuning().graph("hopper", "nvlink4", 18, true, {}, {}); }

// Twelve NVLinks of 20 GB/s are six channels of 40 GB/s, split into twelve of 20.
TEST(NcclGraph, FindsTheChannelsOfNvswitchMachines) {
  EXPECT_EQ(a100().channels, 12);
  EXPECT_DOUBLE_EQ(a100().channel_GBps, 20);
  EXPECT_EQ(h100().channels, 12);
  EXPECT_DOUBLE_EQ(h100().channel_GBps, 30);
}

// Times measured with nccl-tests on two A100 jump from 19 to 41 us between 512 KiB and 1 MiB, on
// two H100 from 14 to 28 us between 1 and 2 MiB: there NCCL leaves the low-latency protocol.
TEST(NcclTuning, ReproducesWhereTwoRanksLeaveTheLowLatencyProtocol) {
  const auto protocol = [](const NcclGraph& graph, double bytes) {
    return best(CollectiveOp::kAllReduce, bytes, 2, graph).protocol;
  };
  EXPECT_EQ(protocol(a100(), 524288), NcclProtocol::kLl);
  EXPECT_EQ(protocol(a100(), 1048576), NcclProtocol::kSimple);
  EXPECT_EQ(protocol(h100(), 1048576), NcclProtocol::kLl);
  EXPECT_EQ(protocol(h100(), 2097152), NcclProtocol::kSimple);
}

TEST(NcclTuning, ReducesInTheSwitchOnHopperOnly) {
  EXPECT_EQ(best(CollectiveOp::kAllReduce, 1e9, 8, h100()).algorithm, NcclAlgorithm::kNvls);
  EXPECT_EQ(best(CollectiveOp::kAllReduce, 1e9, 8, a100()).algorithm, NcclAlgorithm::kRing);
  EXPECT_EQ(best(CollectiveOp::kAllReduce, 1e9, 2, h100()).algorithm, NcclAlgorithm::kRing);
}

// Small messages take few channels, large ones all.
TEST(NcclTuning, GrowsChannelsWithTheMessage) {
  int last = 0;
  for (double bytes = 1024; bytes <= 1e9; bytes *= 4) {
    const int channels =
        tuning()
            .channels_for(NcclAlgorithm::kRing, NcclProtocol::kSimple, 8, Bytes(bytes), 24)
            .first;
    EXPECT_GE(channels, last);
    last = channels;
  }
  EXPECT_EQ(last, 24);
}

// One rank in each of four machines: the network alone makes the graph.
TEST(NcclGraph, OfSingleDeviceMachinesIsTheNetwork) {
  const NcclGraph graph = tuning().graph("hopper", "", 1, false, {}, BytesPerSecond(46e9));
  EXPECT_NEAR(graph.channels * graph.channel_GBps, 46, 5);
  const auto options = tuning().options(CollectiveOp::kAllReduce, Bytes(1e9), {4, 1}, graph);
  EXPECT_EQ(options.front().protocol, NcclProtocol::kSimple);
  EXPECT_LT(options.front().expected.si(), 0.1);
}

TEST(NcclTuning, KnowsOnlyListedGenerations) {
  EXPECT_THROW(tuning().graph("rubin", "nvlink6", 18, true, {}, {}), InputError);
  EXPECT_TRUE(tuning().options(CollectiveOp::kAllToAll, Bytes(1e6), {1, 8}, a100()).empty());
}

// Every NVIDIA device of the catalog can be asked for.
TEST(NcclTuning, KnowsTheGenerationOfEveryNvidiaDevice) {
  const DeviceCatalog devices =
      DeviceCatalog::load(std::filesystem::path(PACELINE_SOURCE_DIR) / "model/catalog/devices");
  int count = 0;
  for (const DeviceSpec& device : devices.devices()) {
    const bool other = device.kind != DeviceKind::kGpu || device.architecture.starts_with("cdna");
    if (other) continue;
    EXPECT_NO_THROW(tuning().generation_of(device.architecture)) << device.name;
    ++count;
  }
  EXPECT_GT(count, 40);
}

TEST(NcclTuning, LatencyGrowsWithRanksAndTimeWithBytes) {
  for (const CollectiveOp op : {CollectiveOp::kAllReduce, CollectiveOp::kAllGather}) {
    EXPECT_LT(best(op, 1024, 2, a100()).expected, best(op, 1024, 8, a100()).expected);
    EXPECT_LT(best(op, 1e6, 8, a100()).expected, best(op, 1e8, 8, a100()).expected);
  }
}

}  // namespace
}  // namespace paceline
