// A GPU that is not there, for tests of the harness: its clock, its failures and its kernels are
// numbers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "microbench/gpu/gpu_plugin.h"
#include "microbench/gpu/gpu_under_test.h"

namespace paceline {

// What the fake GPU does in the case with this number, counted from 0.
struct FakeGpuScript {
  static constexpr int kNever = -2;
  int out_of_memory_at = kNever;
  int wrong_result_at = kNever;
  int lost_at = kNever;
  int ecc_at = kNever;
  int busy_from = 1 << 30, busy_to = 0;
  int clock_drops_at = kNever;   // once: the repetition is steady
  int clock_drifts_at = kNever;  // in every repetition
  bool is_partition = false;
};

// Launches of size n take n microseconds, cold ones twice that.
class FakeGpuUnderTest final : public GpuUnderTest {
 public:
  FakeGpuScript script;
  int current = -1;  // case
  Seconds now{0};
  int launches = 0;

  GpuInfo info() const override;
  GpuCondition condition() override;
  Seconds time(GpuKernel& kernel, int calls, bool cold) override;
  void start_case(int number);

 private:
  int readings_ = 0, readings_of_case_ = 0;
  bool timed_ = false;
};

// Sizes 100, 200, ...: so many of them in the full design, the first in the quick one. Prepares
// only on a FakeGpuUnderTest.
class FakeGpuBenchmark final : public GpuBenchmark {
 public:
  explicit FakeGpuBenchmark(int shapes, std::string unsupported = "")
      : shapes_(shapes), unsupported_(std::move(unsupported)) {}
  std::vector<Axes> design(GpuDesign size, const GpuInfo&) const override;
  std::string unsupported(const GpuInfo&) const override { return unsupported_; }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest& device) const override;

 private:
  int shapes_;
  std::string unsupported_;
};

// A plug-in with one GPU and the benchmark "fake.one" of three shapes.
GpuPlugin fake_gpu_plugin();

}  // namespace paceline
