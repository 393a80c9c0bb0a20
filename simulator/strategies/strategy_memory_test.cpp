// What each way of aggregating keeps on a device, counted by hand on the weights of the test job: 8
// large tensors of 1 to 8 parts of 300'000 elements, and 8 small ones.
#include "simulator/strategies/parts/strategy_memory.h"

#include <gtest/gtest.h>

#include "simulator/strategies/testing/test_job.h"

namespace paceline {
namespace {

constexpr double kModel = 4.0 * (36 * 300'000 + 8 * 1024);  // bytes
constexpr double kMiB = 1 << 20;

using Set = std::map<std::string, std::string>;

StrategyMemory memory_of(const std::string& name, int machines, int per_machine,
                         const Set& set = {}) {
  const TestJob job = test_job(machines, per_machine);
  const auto strategy = strategy_registry().make(name);
  return strategy_memory(job.spec, *strategy, StrategyOptions(name, all_options(*strategy), set));
}

double buffers_of(const std::string& name, int machines, int per_machine, const Set& set = {}) {
  return static_cast<double>(memory_of(name, machines, per_machine, set).communication_bytes);
}

// Largest first to the emptier device: 8 5 4 1 and 7 6 3 2, four small ones each. An owner holds of
// its half the sum, the other's copy and the stored weights; and half of the optimizer's state.
TEST(StrategyMemory, DeviceKeyValueStoreSplitsTheStateByKeys) {
  const StrategyMemory memory = memory_of("kvstore-device", 1, 2);
  EXPECT_DOUBLE_EQ(memory.optimizer_state, 0.5);
  EXPECT_DOUBLE_EQ(memory.weights, 1);
  EXPECT_DOUBLE_EQ(memory.gradients, 1);
  EXPECT_NEAR(static_cast<double>(memory.communication_bytes), 1.5 * kModel, 1);
}

// With more devices each owns less, but never less than an even share, and receives from more.
TEST(StrategyMemory, OwnersOfKeysHaveAtLeastAnEvenShare) {
  double last = 1;
  for (const int devices : {2, 3, 4, 8}) {
    const StrategyMemory memory = memory_of("kvstore-device", 1, devices);
    EXPECT_GE(memory.optimizer_state, 1.0 / devices - 1e-12);
    EXPECT_LT(memory.optimizer_state, last);
    EXPECT_NEAR(static_cast<double>(memory.communication_bytes),
                (devices + 1) * memory.optimizer_state * kModel, 1);
    last = memory.optimizer_state;
  }
  EXPECT_EQ(memory_of("kvstore-device", 1, 1).optimizer_state, 1);
  EXPECT_EQ(buffers_of("kvstore-device", 1, 1), 0);
}

// Where servers or the processor update, no device has the optimizer's state.
TEST(StrategyMemory, TheOptimizersStateIsWhereTheUpdateIs) {
  for (const char* name : {"dist-sync", "dist-async", "async-parameter-server",
                           "distributed-replicated", "parameter-server"}) {
    EXPECT_EQ(memory_of(name, 2, 4).optimizer_state, 0) << name;
  }
  EXPECT_EQ(memory_of("kvstore-local", 1, 4).optimizer_state, 0);
  EXPECT_EQ(
      memory_of("parameter-server", 1, 4, {{"local_parameter_device", "cpu"}}).optimizer_state, 0);
  EXPECT_EQ(memory_of("parameter-server", 1, 4, {{"placement", "first"}}).optimizer_state, 1);
  const double balanced = memory_of("parameter-server", 1, 4).optimizer_state;
  EXPECT_GT(balanced, 0.25);
  EXPECT_LT(balanced, 0.5);
  for (const char* name : {"ddp", "horovod", "gpu-tree", "bsp"}) {
    EXPECT_EQ(memory_of(name, 1, 4).optimizer_state, 1) << name;
  }
}

// Caffe: each child has a buffer of its own on its parent. The root of 2, 3 to 4, and 5 to 8
// devices has 1, 2 and 3 children.
TEST(StrategyMemory, CaffesRootHasABufferForEachOfItsChildren) {
  const std::map<int, int> children = {{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}};
  for (const auto& [devices, count] : children) {
    EXPECT_EQ(buffers_of("gpu-tree", 1, devices), count * kModel) << devices;
  }
}

// Buckets hold all gradients once more, unless gradients are views of them.
TEST(StrategyMemory, BucketsAreACopyOfTheGradients) {
  EXPECT_EQ(buffers_of("ddp", 1, 4), kModel);
  EXPECT_EQ(buffers_of("ddp", 1, 4, {{"gradient_as_bucket_view", "on"}}), 0);
  EXPECT_EQ(buffers_of("ddp", 1, 4, {{"compression", "fp16"}}), 1.5 * kModel);
}

TEST(StrategyMemory, HorovodsFusionBufferHasTheSizeOfItsThreshold) {
  EXPECT_EQ(buffers_of("horovod", 1, 4), 128 * kMiB);
  EXPECT_EQ(buffers_of("horovod", 1, 4, {{"fusion_threshold", "2 MiB"}}), 2 * kMiB);
}

// Two units of weights are on the device at once: of blocks of two layers, those of 15 and 11
// parts.
TEST(StrategyMemory, ShardedWeightsAreGatheredTwoUnitsAtATime) {
  const StrategyMemory memory = memory_of("fsdp", 1, 4);
  EXPECT_EQ(memory.weights, 0.25);
  EXPECT_EQ(memory.gradients, 0.25);
  EXPECT_EQ(memory.optimizer_state, 0.25);
  EXPECT_EQ(memory.communication_bytes, 4 * (26 * 300'000 + 4 * 1024));
  EXPECT_EQ(buffers_of("fsdp", 1, 4, {{"wrap", "layer"}}), 4 * (15 * 300'000 + 2 * 1024));
  EXPECT_EQ(buffers_of("fsdp", 1, 4, {{"sharding", "grad"}}), kModel);
}

// Gradients that are cast before they are summed exist in both types: one unit's, of 15 parts.
TEST(StrategyMemory, GradientsThatAreSummedInAnotherTypeAreThereTwice) {
  const double gathered = buffers_of("fsdp", 1, 4);
  EXPECT_EQ(buffers_of("fsdp", 1, 4, {{"reduce_dtype", "fp32"}}), gathered);
  EXPECT_EQ(buffers_of("fsdp", 1, 4, {{"reduce_dtype", "bf16"}}),
            gathered + 2 * (15 * 300'000 + 2 * 1024));
}

// Of the three messages of a unit two are weights; the third, its gradients, halves.
TEST(StrategyMemory, GradientsThatAreSummedInAnotherTypeAreSentInIt) {
  const TestJob job = test_job(1, 4);
  const auto strategy = strategy_registry().make("fsdp");
  const auto sent = [&](const std::string& type) {
    const StrategyOptions options("fsdp", all_options(*strategy), {{"reduce_dtype", type}});
    const double bytes = strategy->bytes_sent(job.spec, options).si();
    const JobResult result = run(job, "fsdp", {{"reduce_dtype", type}});
    EXPECT_NEAR(static_cast<double>(result.communication.bytes_per_device), bytes, 1e-6 * bytes);
    return bytes;
  };
  EXPECT_NEAR(sent("bf16") / sent("parameter"), 2.5 / 3, 1e-12);
  EXPECT_EQ(sent("fp32"), sent("parameter"));
}

// A copy of the weights from which local steps are counted; with momentum one more.
TEST(StrategyMemory, PeriodicAveragingKeepsWhatItAverages) {
  EXPECT_EQ(buffers_of("local-sgd", 1, 4), kModel);
  EXPECT_EQ(buffers_of("block-momentum", 1, 4), 2 * kModel);
}

// MXNet over several machines: gradients are added on the host, which takes nothing of a device, or
// on devices in turns: of 4, the third gets every second large tensor, 20 of the 36 parts.
TEST(StrategyMemory, DistributedStoresReceiveWhereTheyAdd) {
  EXPECT_EQ(buffers_of("dist-sync", 2, 4), 0);
  EXPECT_EQ(buffers_of("dist-device-sync", 2, 4), 4 * 4 * (20 * 300'000));
  EXPECT_EQ(buffers_of("dist-sync", 2, 4, {{"compression", "2-bit"}}), kModel);
}

std::vector<CollectiveGroup> groups_of(const std::string& name, int machines, int per_machine,
                                       const Set& set = {}) {
  const TestJob job = test_job(machines, per_machine);
  const auto strategy = strategy_registry().make(name);
  const CommunicationModels models;
  Communicator communicator(models, job.spec.cluster, "volta", 0);
  std::vector<CollectiveGroup> groups;
  for (const NcclUse& use : nccl_groups(
           job.spec, *strategy, StrategyOptions(name, all_options(*strategy), set), communicator)) {
    groups.push_back(use.group);
    EXPECT_FALSE(use.in_switch) << "PCIe has no switch that adds";
  }
  return groups;
}

// Eight devices on a switch that adds: NCCL's tables choose it for the buckets of ddp on Hopper,
// and it is that which takes memory; Ampere's switches cannot, and copies between peers do not.
TEST(StrategyMemory, BuffersOfTheSwitchComeWithCollectivesThatUseIt) {
  const auto taken = [](const std::string& name, const std::string& generation,
                        const std::string& intra) {
    const TestJob job = test_job(1, 8, "10gbe", intra);
    const auto strategy = strategy_registry().make(name);
    const CommunicationModels models;
    Communicator communicator(models, job.spec.cluster, generation, 0);
    StrategyMemory out;
    for (const NcclUse& use :
         nccl_groups(job.spec, *strategy, StrategyOptions(name, all_options(*strategy), {}),
                     communicator)) {
      add_library(communicator.buffers(communicator.fabric(use.group), use.in_switch), out);
      EXPECT_EQ(communicator.buffers(communicator.fabric(use.group), false).above, Bytes(0));
    }
    return out;
  };
  const StrategyMemory hopper = taken("ddp", "hopper", "nvswitch3");
  EXPECT_EQ(hopper.library_below, 258 << 20);
  EXPECT_GT(hopper.library_bytes, hopper.library_below);
  EXPECT_FALSE(hopper.library_source.empty());
  const StrategyMemory ampere = taken("ddp", "ampere", "nvswitch2");
  EXPECT_GT(ampere.library_bytes, 0);
  EXPECT_EQ(ampere.library_below + ampere.library_above, 0);
  EXPECT_EQ(taken("kvstore-device", "hopper", "nvswitch3").library_bytes, 0);
}

// A communicator over all ranks, over those of a machine, over both, or none where copies, MPI or
// servers do the work.
TEST(StrategyMemory, CommunicatorsAreThoseOfTheCollectivesThatRun) {
  using Groups = std::vector<CollectiveGroup>;
  EXPECT_EQ(groups_of("ddp", 2, 4), Groups({{2, 4}}));
  EXPECT_EQ(groups_of("local-sgd", 2, 4), Groups({{2, 4}}));
  EXPECT_EQ(groups_of("fsdp", 2, 4), Groups({{2, 4}}));
  EXPECT_EQ(groups_of("fsdp", 2, 4, {{"sharding", "hybrid"}}), Groups({{1, 4}, {2, 1}}));
  EXPECT_EQ(groups_of("distributed-replicated", 2, 4), Groups({{1, 4}}));
  EXPECT_EQ(groups_of("kvstore-device", 1, 4), Groups());
  EXPECT_EQ(groups_of("horovod", 2, 4, {{"library", "mpi"}}), Groups());
  EXPECT_EQ(groups_of("ddp", 1, 1), Groups());
}

}  // namespace
}  // namespace paceline
