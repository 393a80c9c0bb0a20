#include "simulator/memory/memory_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

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

// The end of the search is no border.
TEST(LargestBatch, IsSaidToBeMoreWhereTheSearchEnded) {
  EXPECT_EQ(batch_found_text(kLargestBatchTried - 1), "1048575");
  EXPECT_EQ(batch_found_text(largest_that_fits([](std::int64_t) { return 1; }).value_or(0)),
            "1048576 or more");
}

// Wherever the border lies and however memory grows: evenly, not at all but for a cliff, by steps.
TEST(LargestBatch, IsTheLastThatFits) {
  using Growth = std::function<std::int64_t(std::int64_t, std::int64_t)>;
  const std::vector<Growth> growths = {
      [](std::int64_t border, std::int64_t batch) { return 1000 * (border - batch) + 500; },
      [](std::int64_t border, std::int64_t batch) { return batch <= border ? 7 : -7; },
      [](std::int64_t border, std::int64_t batch) {
        const std::int64_t step = 4096 * ((border - batch) / 37);
        return batch <= border ? step : step - 4096;
      }};
  for (const Growth& spare : growths) {
    for (const std::int64_t border : {1, 2, 3, 31, 32, 33, 1000, 1 << 20}) {
      int questions = 0;
      const auto found = largest_that_fits([&](std::int64_t batch) {
        ++questions;
        return spare(border, batch);
      });
      EXPECT_EQ(found, border);
      EXPECT_LE(questions, 80);
    }
  }
}

// Memory that falls back at every sixteenth batch has several borders. The one found is a border:
// it fits, the next does not, and no smaller batch that was asked about failed.
TEST(LargestBatch, IsABorderBelowWhichNothingAskedAboutFails) {
  const auto spare = [](std::int64_t batch) {
    return 1000 * (200 - batch) - 700 * (batch % 16) + (batch % 3) * 4000;
  };
  std::map<std::int64_t, std::int64_t> asked;
  const auto ask = [&](std::int64_t batch) { return asked[batch] = spare(batch); };
  const std::int64_t found = largest_that_fits(ask).value();
  int borders = 0;
  for (std::int64_t batch = 1; batch < 1000; ++batch) {
    if (spare(batch) >= 0 && spare(batch + 1) < 0) ++borders;
  }
  ASSERT_GT(borders, 1);
  for (const auto& [batch, bytes] : asked) EXPECT_EQ(bytes >= 0, batch <= found) << batch;
  EXPECT_TRUE(asked.contains(found) && asked.contains(found + 1));
}

// Memory that grows evenly: two answers make a line, a few more are the border.
TEST(LargestBatch, AsksAboutLittleWhereMemoryGrowsEvenly) {
  for (const std::int64_t border : {5, 160, 777, 20'000}) {
    int questions = 0;
    const auto found = largest_that_fits([&](std::int64_t batch) {
      ++questions;
      return 1'000'000 * (border - batch) + 300'000;
    });
    EXPECT_EQ(found, border);
    EXPECT_LE(questions, 7) << border;
  }
}

// Memory that falls back at every sixteenth batch: what the first border hides is found among a
// few, and nothing above the answer fits.
TEST(LargestAbove, IsTheLargestOfAFewWhereMemoryFallsBack) {
  const auto fits = [](std::int64_t batch) { return batch + 2 * (batch % 16) <= 224; };
  std::int64_t border = 1, largest = 1;
  while (fits(border + 1)) ++border;
  for (std::int64_t batch = 1; batch < 1000; ++batch) largest = fits(batch) ? batch : largest;
  ASSERT_GT(largest, border);
  const BatchAbove found = largest_above(border, border + kAskedAbove, fits);
  EXPECT_EQ(found.batch, largest);
  EXPECT_EQ(found.step, 1);
}

// Of many only some are asked about. The answer says which, fits, and the next one does not.
TEST(LargestAbove, OfManyIsABorderAndSaysWhatWasAskedAbout) {
  const auto fits = [](std::int64_t batch) { return batch <= 1000 || batch / 100 == 42; };
  std::map<std::int64_t, bool> asked;
  const BatchAbove found =
      largest_above(1000, 4500, [&](std::int64_t batch) { return asked[batch] = fits(batch); });
  EXPECT_EQ(found.batch, 4299);
  EXPECT_LE(static_cast<std::int64_t>(asked.size()), kAskedAbove + 16);
  for (std::int64_t batch = 4500; batch > found.batch; batch -= found.step) {
    EXPECT_TRUE(asked.contains(batch) && !asked[batch]) << batch;
  }
  EXPECT_EQ(largest_above(1000, 1100, fits).batch, 1000);
  EXPECT_EQ(largest_above(0, 1000, fits).batch, 1000);
  EXPECT_EQ(largest_above(7, 7, fits).batch, 7);
}

TEST(LargestBatch, IsNoneWhereNothingFits) {
  EXPECT_FALSE(largest_that_fits([](std::int64_t) { return -1; }));
}

TEST(MemoryModel, CountsTheContextOfAGpuOnly) {
  const MemoryModel model;
  MemoryRequest request = on_gpu(16);
  const MemoryUse use = model.predict(resnet50(1), request).use;
  EXPECT_GT(use.context, 0);
  EXPECT_FALSE(use.context_source.empty());
  request.setting.device = DeviceKind::kCpu;
  EXPECT_EQ(model.predict(resnet50(1), request).use.context, 0);
}

// Live tensors are what is predicted of a CPU; its process was seen to hold up to two thirds more.
// ResNet-50 at batch 8: 908 MB of tensors, for which the process grew by 1514.
TEST(MemoryModel, HoldsTheProcessOfACpuInTheInterval) {
  MemoryRequest request = on_gpu(16);
  request.setting.device = DeviceKind::kCpu;
  const MemoryUse use = MemoryModel().predict(resnet50(8), request).use;
  EXPECT_NEAR(static_cast<double>(use.peak()), 908e6, 1e6);
  EXPECT_GE(use.p95(), 1'514'000'000);
  EXPECT_LE(use.p05(), use.peak());
  EXPECT_EQ(use.origins.back().what, "process");
}

// Every answer has an interval with the prediction inside, and says what it is from.
TEST(MemoryModel, GivesEveryPeakAnIntervalAndAnOrigin) {
  const MemoryModel model;
  MemoryRequest request = on_gpu(16);
  for (const char* framework : {"pytorch", "mxnet", "caffe", "tensorflow"}) {
    request.framework = framework;
    const MemoryUse use = model.predict(resnet50(16), request).use;
    EXPECT_LT(use.p05(), use.peak()) << framework;
    EXPECT_GT(use.p95(), use.peak()) << framework;
    ASSERT_EQ(use.origins.size(), 3u);
    for (const OriginLine& line : use.origins) EXPECT_FALSE(line.source.empty()) << line.what;
    EXPECT_NEAR(use.origins.front().share + use.origins.back().share, 1, 1e-12);
  }
}

TEST(MemoryModel, SaysWhenTheContextIsNotKnown) {
  MemoryRequest request = on_gpu(16);
  request.architecture = "cdna1";
  const MemoryResult result = MemoryModel().predict(resnet50(1), request);
  EXPECT_EQ(result.use.context, 0);
  ASSERT_EQ(result.warnings.size(), 1u);
  // The interval holds what a context may take.
  request.architecture = "volta";
  const MemoryUse known = MemoryModel().predict(resnet50(1), request).use;
  EXPECT_GE(result.use.above, known.context);
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

// A library of collectives asks the driver, not the framework: nothing is rounded.
TEST(MemoryModel, AddsWhatTheLibraryOfCollectivesTakesAsItIs) {
  const MemoryModel model;
  MemoryRequest request = on_gpu(16);
  const MemoryResult without = model.predict(resnet50(8), request);
  request.setting.strategy.library_bytes = 12'345'678;
  const MemoryResult with = model.predict(resnet50(8), request);
  EXPECT_EQ(with.use.communication, without.use.communication + 12'345'678);
  EXPECT_EQ(with.use.slack, without.use.slack);
  EXPECT_EQ(with.tape.peak().bytes, without.tape.peak().bytes + 12'345'678);
}

// What other versions of the library take is a part of the interval of its own, and the answer says
// where it is from.
TEST(MemoryModel, HoldsOtherVersionsOfTheLibraryOfCollectivesInTheInterval) {
  const MemoryModel model;
  MemoryRequest request = on_gpu(16);
  request.setting.strategy.library_bytes = 268'435'456;
  const MemoryUse sure = model.predict(resnet50(8), request).use;
  request.setting.strategy.library_below = 268'435'456;
  request.setting.strategy.library_above = 805'306'368;
  request.setting.strategy.library_source = "other versions";
  const MemoryUse unsure = model.predict(resnet50(8), request).use;
  EXPECT_EQ(unsure.peak(), sure.peak());
  EXPECT_NEAR(static_cast<double>(unsure.below), std::hypot(sure.below, 268'435'456), 2);
  EXPECT_NEAR(static_cast<double>(unsure.above), std::hypot(sure.above, 805'306'368), 2);
  ASSERT_EQ(unsure.origins.size(), sure.origins.size() + 1);
  EXPECT_EQ(unsure.origins.back().source, "other versions");
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
