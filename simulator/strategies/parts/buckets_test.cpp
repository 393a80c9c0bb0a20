#include "simulator/strategies/parts/buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/graph/workload.h"
#include "simulator/frameworks/framework.h"

namespace paceline {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

std::vector<double> sizes(const std::string& model, double cap_mib) {
  const WorkloadGraph graph = build_workload(workload_registry(), model, {.batch = 1});
  std::vector<double> out;
  for (const Bucket& bucket :
       ddp_buckets(gradient_tensors(graph), Bytes(kMiB), Bytes(cap_mib * kMiB))) {
    out.push_back(bucket.bytes.si());
  }
  return out;
}

// Sizes that PyTorch logged for ResNet-18 with a first bucket of 1 MiB and two caps
// (https://github.com/pytorch/pytorch/issues/48880).
TEST(DdpBuckets, AreThoseThatPyTorchMadeOfResNet18) {
  EXPECT_THAT(sizes("resnet18", 25), testing::ElementsAre(2'052'000, 28'852'224, 15'853'824));
  EXPECT_THAT(sizes("resnet18", 35), testing::ElementsAre(2'052'000, 38'297'600, 6'408'448));
}

// Sizes that PyTorch 1.13 logged in the laboratory's recording of fcn-r
// (traces/recorded/epyc-2core/2026-11-30-cluster.json).
TEST(DdpBuckets, AreThoseThatPyTorchMadeOfFcnR) {
  EXPECT_THAT(sizes("fcn-r", 25), testing::ElementsAre(16'822'312, 33'570'816, 6'430'720));
}

// A tensor is never split and none is lost, whatever the limits.
TEST(DdpBuckets, HoldEveryTensorOnce) {
  const WorkloadGraph graph = build_workload(workload_registry(), "resnet50", {.batch = 1});
  const std::vector<GradientTensor> gradients = gradient_tensors(graph);
  for (const double cap : {0.01, 1.0, 25.0, 1e6}) {
    std::vector<int> times(gradients.size());
    for (const Bucket& bucket : ddp_buckets(gradients, Bytes(kMiB), Bytes(cap * kMiB))) {
      for (const std::uint32_t gradient : bucket.gradients) ++times[gradient];
    }
    EXPECT_THAT(times, testing::Each(1));
  }
}

}  // namespace
}  // namespace paceline
