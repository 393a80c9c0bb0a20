// Runs over all benchmarks of the CUDA plug-in; what needs a GPU skips itself.
#include "microbench/gpu/gpu_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace paceline {
namespace {

class EveryGpuBenchmark : public testing::Test {
 protected:
  void SetUp() override { gpu_plugin().register_benchmarks(registry_); }

  // GPUs that differ in what they can do and in their number.
  static std::vector<GpuInfo> gpus() {
    std::vector<GpuInfo> out;
    for (const auto& [major, minor] : {std::pair{7, 5}, {8, 0}, {8, 9}, {9, 0}, {10, 0}, {12, 0}}) {
      for (const int count : {1, 2, 8}) {
        GpuInfo info;
        info.name = "GPU";
        info.capability_major = major;
        info.capability_minor = minor;
        info.count = count;
        info.l2_cache = Bytes(40e6);
        out.push_back(info);
      }
    }
    return out;
  }
  // How many can run.
  double cases(GpuDesign size, const GpuInfo& gpu) const {
    std::size_t out = 0;
    for (const auto& entry : registry_.entries()) {
      if (entry.benchmark->unsupported(gpu).empty())
        out += entry.benchmark->design(size, gpu).size();
    }
    return static_cast<double>(out);
  }

  GpuBenchmarkRegistry registry_;
};

TEST_F(EveryGpuBenchmark, HasASummary) {
  ASSERT_FALSE(registry_.entries().empty());
  for (const auto& entry : registry_.entries()) EXPECT_NE(entry.summary, "") << entry.name;
}

TEST_F(EveryGpuBenchmark, PlansEachShapeOnceOnEveryGpu) {
  for (const GpuInfo& gpu : gpus()) {
    for (const auto& entry : registry_.entries()) {
      std::set<Axes> seen;
      for (const Axes& axes : entry.benchmark->design(GpuDesign::kFull, gpu)) {
        EXPECT_TRUE(seen.insert(axes).second) << entry.name << ": " << to_string(axes);
        EXPECT_FALSE(axes.contains("device")) << entry.name << ": the harness adds it";
      }
      EXPECT_FALSE(seen.empty()) << entry.name;
    }
  }
}

// So that a full run continues what a quick one began.
TEST_F(EveryGpuBenchmark, HasAQuickPlanThatIsPartOfTheFullOne) {
  const std::set<std::string> of_another_length = {"cublas.sustained"};
  for (const GpuInfo& gpu : gpus()) {
    for (const auto& entry : registry_.entries()) {
      if (of_another_length.contains(entry.name)) continue;
      const std::vector<Axes> full = entry.benchmark->design(GpuDesign::kFull, gpu);
      for (const Axes& axes : entry.benchmark->design(GpuDesign::kQuick, gpu)) {
        EXPECT_THAT(full, testing::Contains(axes)) << entry.name << ": " << to_string(axes);
      }
    }
  }
}

TEST_F(EveryGpuBenchmark, OfSeveralGpusSaysSoWhereThereIsOne) {
  const GpuInfo alone = gpus().front();
  for (const auto& entry : registry_.entries()) {
    const bool needs_several = entry.name.starts_with("nccl.") || entry.name == "cuda.peer";
    if (!needs_several) continue;
    EXPECT_EQ(entry.benchmark->unsupported(alone), "needs 2 GPUs, found 1") << entry.name;
    EXPECT_EQ(entry.benchmark->unsupported(gpus().at(1)), "") << entry.name;
  }
}

// Most results are precise after three samples of 4 or 15 ms; what takes longer is limited to 0.15
// or 0.4 s, and preparing and checking take some hundredths.
TEST_F(EveryGpuBenchmark, FitsItsTimeOnOneGpu) {
  const GpuInfo alone = gpus().at(9);  // of capability 9.0
  EXPECT_LT(0.3 * cases(GpuDesign::kQuick, alone) + 5, 100);
  EXPECT_LT(0.4 * cases(GpuDesign::kFull, alone) + 80, 440);  // 80 s of sustained load
}

// Copies between GPUs and collectives are short; communicators are made once for each number of
// ranks. The full plan of eight may be cut short, in turns.
TEST_F(EveryGpuBenchmark, FitsItsQuickTimeOnEightGpus) {
  const GpuInfo eight = gpus().at(11);  // of capability 9.0
  ASSERT_EQ(eight.count, 8);
  EXPECT_LT(0.3 * cases(GpuDesign::kQuick, eight) + 5 + 3 * 3, 115);
}

TEST(GpuPlugin, NamesTheVersionsOfItsLibraries) {
  EXPECT_NE(gpu_plugin().libraries().at("cuda"), "");
}

// Without a GPU, or beyond the last one, there is a reason, not a crash.
TEST(GpuPlugin, SaysWhyAGpuCannotBeUsed) {
  try {
    gpu_plugin().open(4711);
    FAIL() << "no machine has so many GPUs";
  } catch (const MeasurementError& error) {
    EXPECT_NE(std::string(error.what()), "");
  }
}

// Every kernel against its reference, in its first shape, on a real GPU.
TEST_F(EveryGpuBenchmark, ComputesTheRightResult) {
  std::unique_ptr<GpuUnderTest> device;
  try {
    device = gpu_plugin().open(0);
  } catch (const MeasurementError& error) {
    GTEST_SKIP() << error.what();
  }
  const GpuInfo info = device->info();
  for (const auto& entry : registry_.entries()) {
    if (!entry.benchmark->unsupported(info).empty() || entry.name == "cublas.sustained") continue;
    const Axes axes = entry.benchmark->design(GpuDesign::kQuick, info).front();
    const auto kernel = entry.benchmark->prepare(axes, *device);
    EXPECT_NO_THROW(kernel->check()) << entry.name << ": " << to_string(axes);
    const Seconds own = kernel->time_itself(1);
    EXPECT_GT((own > Seconds(0) ? own : device->time(*kernel, 1, false)).si(), 0) << entry.name;
  }
}

}  // namespace
}  // namespace paceline
