#include "simulator/memory/memory_model.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "model/graph/workload.h"
#include "model/plan/optimizer.h"

namespace paceline {
namespace {

WorkloadGraph resnet50(std::int64_t batch) {
  return build_workload(workload_registry(), "resnet50", {.batch = batch});
}

MemoryRequest on_gpu(double gib) {
  MemoryRequest request;
  request.capacity = Bytes(gib * (1 << 30));
  request.architecture = "volta";
  return request;
}

TEST(MemoryModel, LargestBatchFitsAndTheNextDoesNot) {
  const MemoryModel model;
  const MemoryRequest request = on_gpu(16);
  const auto largest = model.largest_batch(resnet50, request);
  ASSERT_TRUE(largest);
  EXPECT_TRUE(model.predict(resnet50(*largest), request).use.fits());
  EXPECT_FALSE(model.predict(resnet50(*largest + 1), request).use.fits());
}

TEST(MemoryModel, NothingFitsWhereWeightsAloneDoNot) {
  EXPECT_FALSE(MemoryModel().largest_batch(resnet50, on_gpu(0.25)));
}

TEST(MemoryModel, CountsTheContextOfAGpuOnly) {
  const MemoryModel model;
  MemoryRequest request = on_gpu(16);
  EXPECT_GT(model.predict(resnet50(1), request).use.context, 0);
  request.setting.device = DeviceKind::kCpu;
  EXPECT_EQ(model.predict(resnet50(1), request).use.context, 0);
}

TEST(MemoryModel, SaysWhenTheContextIsNotKnown) {
  MemoryRequest request = on_gpu(16);
  request.architecture = "cdna1";
  const MemoryResult result = MemoryModel().predict(resnet50(1), request);
  EXPECT_EQ(result.use.context, 0);
  ASSERT_EQ(result.warnings.size(), 1u);
}

TEST(MemoryModel, RefusesAFrameworkItDoesNotKnow) {
  MemoryRequest request = on_gpu(16);
  request.framework = "pytroch";
  EXPECT_THROW(MemoryModel().predict(resnet50(1), request), UsageError);
}

// Workspace that a kernel may take counts at the operation that takes it.
TEST(MemoryModel, AddsTheWorkspaceOfTheChosenConvolution) {
  const MemoryModel model;
  MemoryRequest request = on_gpu(16);
  const MemoryUse without = model.predict(resnet50(32), request).use;
  request.setting.workspace = [](const Kernel&) { return Bytes(512e6); };
  const MemoryUse with = model.predict(resnet50(32), request).use;
  EXPECT_EQ(without.workspace, 0);
  EXPECT_EQ(with.workspace, 512'000'000);
  EXPECT_EQ(with.weights, without.weights);
}

// fp32: Adam adds two tensors; 16-bit weights keep an fp32 copy in the optimizer: 2 + 2 + 4 + 8.
TEST(ModelState, FollowsOptimizerAndPrecision) {
  const auto sum = [](const ModelStateSizes& s) {
    return s.weight + s.gradient + s.master + s.optimizer;
  };
  EXPECT_EQ(sum(model_state("sgd", Precision::kFp32)), 8);
  EXPECT_EQ(sum(model_state("momentum", Precision::kFp32)), 12);
  EXPECT_EQ(sum(model_state("adam", Precision::kFp16)), 16);
  EXPECT_EQ(sum(model_state("adam", Precision::kBf16, true)), 16);
  EXPECT_THROW(optimizer_named("adamm"), UsageError);
}

}  // namespace
}  // namespace paceline
