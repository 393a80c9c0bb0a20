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

// Wherever the border lies and wherever the search starts.
TEST(LargestBatch, IsTheLastThatFits) {
  for (const std::int64_t border : {1, 2, 3, 31, 32, 33, 1000, 1 << 20}) {
    for (const std::int64_t guess : {1, 32, 100, 5000}) {
      int questions = 0;
      const auto found = largest_that_fits(guess, [&](std::int64_t batch) {
        ++questions;
        return batch <= border;
      });
      EXPECT_EQ(found, border) << guess;
      EXPECT_LE(questions, 45);
    }
  }
}

TEST(LargestBatch, IsNoneWhereNothingFits) {
  EXPECT_FALSE(largest_that_fits(32, [](std::int64_t) { return false; }));
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
