#include "simulator/memory/memory_residuals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/temporary_folder.h"
#include "core/text_file.h"
#include "simulator/memory/memory_model.h"

namespace paceline {
namespace {

using testing::HasSubstr;

SetResiduals residuals(const std::string& set, const std::string& family,
                       std::vector<double> errors, DeviceKind device = DeviceKind::kGpu) {
  return {set, "source", family, device, std::move(errors)};
}

// Ten measurements off by 1 to 10 %: nine are within 9 %, whichever way they are off.
TEST(MemoryResiduals, HoldNineOfTenMeasurements) {
  std::vector<double> errors;
  for (int i = 1; i <= 10; ++i) errors.push_back(i % 2 == 0 ? 0.01 * i : -0.01 * i);
  const MemoryResiduals all({residuals("a", "pytorch", errors)});
  const MemorySpread spread = all.of("pytorch", DeviceKind::kGpu);
  EXPECT_DOUBLE_EQ(spread.width, 0.09);
  EXPECT_EQ(spread.kind, OriginKind::kFitted);
}

// A set of a hundred good cases does not outvote one of two bad ones.
TEST(MemoryResiduals, CountEachSetOnce) {
  const MemoryResiduals all({residuals("large", "pytorch", std::vector<double>(100, 0.001)),
                             residuals("small", "pytorch", {0.2, 0.3})});
  EXPECT_DOUBLE_EQ(all.of("pytorch", DeviceKind::kGpu).width, 0.3 * all.factor());
}

// Two sets, one twice as far off as the other: what the near one says of the far one has to be
// doubled.
TEST(MemoryResiduals, AreWidenedUntilOneSetSpeaksForAnother) {
  EXPECT_DOUBLE_EQ(
      MemoryResiduals({residuals("a", "pytorch", {0.02}), residuals("b", "pytorch", {0.04})})
          .factor(),
      2);
  EXPECT_DOUBLE_EQ(
      MemoryResiduals({residuals("a", "pytorch", {0.03}), residuals("b", "mxnet", {0.03})})
          .factor(),
      1);
  EXPECT_DOUBLE_EQ(MemoryResiduals({residuals("a", "pytorch", {0.03})}).factor(), 1);
}

// One good case of a framework does not make it better known than everything together; a bad one
// makes it less.
TEST(MemoryResiduals, AreNoNarrowerForAFamilyThanForAll) {
  const MemoryResiduals all({residuals("near", "pytorch", {0.01}),
                             residuals("far", "mxnet", {0.05}),
                             residuals("middle", "mxnet", {0.03})});
  const double any = all.of("caffe", DeviceKind::kGpu).width;
  EXPECT_DOUBLE_EQ(all.of("pytorch", DeviceKind::kGpu).width, any);
  EXPECT_GE(all.of("mxnet", DeviceKind::kGpu).width, any);
  EXPECT_EQ(all.of("pytorch", DeviceKind::kGpu).kind, OriginKind::kFitted);
}

// Where nothing of a framework was measured the spread of the others stands for it, and says so;
// what a processor's allocations were counted at says nothing of a GPU.
TEST(MemoryResiduals, BorrowWhatWasMeasuredOfOtherFrameworks) {
  const MemoryResiduals all(
      {residuals("gpu", "pytorch", {0.05}), residuals("cpu", "pytorch", {1e-6}, DeviceKind::kCpu)});
  EXPECT_DOUBLE_EQ(all.of("pytorch", DeviceKind::kCpu).width, 1e-6);
  for (const DeviceKind device : {DeviceKind::kGpu, DeviceKind::kCpu}) {
    const MemorySpread caffe = all.of("caffe", device);
    EXPECT_DOUBLE_EQ(caffe.width, 0.05);
    EXPECT_EQ(caffe.kind, OriginKind::kExtrapolated);
    EXPECT_THAT(caffe.source, HasSubstr("none of this framework"));
  }
}

// 1000 of tensors that may be 10 % more, and a context of 100 that may be 50 more or 100 less.
TEST(MemoryResiduals, AddTheContextAsSomethingOfItsOwn) {
  MemoryUse use;
  use.feature_maps = 1000;
  use.context = 100;
  GpuContext context;
  context.bytes = 100;
  context.low = 0;
  context.high = 150;
  set_interval({std::log(1.1), OriginKind::kFitted, ""}, context, {}, use);
  EXPECT_EQ(use.above, std::llround(std::hypot(100, 50)));
  EXPECT_EQ(use.below, std::llround(std::hypot(1000 - 1000 / 1.1, 100)));
  EXPECT_EQ(use.p95() - use.peak(), use.above);
}

TEST(MemoryResiduals, LeaveOutTheSetThatIsJudged) {
  const MemoryResiduals with = MemoryResiduals::shipped();
  const MemoryResiduals without = MemoryResiduals::shipped("megatron-golden");
  EXPECT_THAT(with.of("pytorch", DeviceKind::kGpu).source, HasSubstr("megatron-golden"));
  EXPECT_THAT(without.of("pytorch", DeviceKind::kGpu).source,
              testing::Not(HasSubstr("megatron-golden")));
}

TEST(MemoryResiduals, RefuseASetWithoutMeasurements) {
  const TemporaryFolder folder;
  write_text_file(folder.path() / "residuals.json",
                  R"({"schema": "paceline.memory-residuals/1", "summary": "",
                 "sets": [{"name": "a", "source": "b", "family": "c", "device": "gpu",
                           "errors": []}]})");
  EXPECT_THROW(MemoryResiduals::load(folder.path() / "residuals.json"), InputError);
}

// Every shipped context lies in its own range; unknown ones may be as large as the largest.
TEST(Contexts, AreRangesAndNoneIsNothing) {
  const ContextCatalog catalog = ContextCatalog::shipped();
  for (const auto& [name, context] : catalog.contexts) {
    EXPECT_LE(context.low, context.bytes) << name;
    EXPECT_GE(context.high, context.bytes) << name;
    EXPECT_LT(context.low, context.high) << name;
    EXPECT_LE(context.high, catalog.unknown().high) << name;
    const bool recalled = context.source.starts_with("nvidia-smi") &&
                          context.source.find("recalled") != std::string::npos;
    EXPECT_TRUE(!recalled || context.kind == OriginKind::kExtrapolated) << name;
  }
  EXPECT_EQ(catalog.unknown().bytes, 0);
}

}  // namespace
}  // namespace paceline
