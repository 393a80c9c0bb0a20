#include "microbench/harness/sampler.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/error.h"

namespace paceline {
namespace {

// A clock that only kernels move.
struct FakeMachine {
  double now = 0;
  int calls = 0;
  std::vector<double> durations;  // of successive calls; the last one repeats

  Clock clock() {
    return [this] { return Seconds(now); };
  }
  std::function<void()> kernel() {
    return [this] {
      const std::size_t last = durations.size() - 1;
      now += durations[std::min(static_cast<std::size_t>(calls++), last)];
    };
  }
};

TEST(Sampler, StopsAtTheMinimumWhenSamplesAgree) {
  FakeMachine machine{.durations = {5e-3, 1e-3}};
  const Timings samples = take_samples(machine.kernel(), machine.clock(), {});
  EXPECT_EQ(samples.seconds, (std::vector<double>{1e-3, 1e-3, 1e-3}));
  EXPECT_EQ(samples.stopped_by, StoppedBy::kPrecision);
  // The slow first call is warm-up and no sample.
  EXPECT_EQ(samples.warmup, 1);
}

TEST(Sampler, TakesMoreSamplesWhenTheyDisagree) {
  FakeMachine machine{.durations = {1e-3, 1e-3, 3e-3, 1e-3, 3e-3, 1e-3}};
  const Timings samples = take_samples(machine.kernel(), machine.clock(), {});
  EXPECT_GT(samples.seconds.size(), 3u);
}

TEST(Sampler, NeverTakesMoreThanTheLimit) {
  FakeMachine machine;
  for (int i = 0; i < 100; ++i) machine.durations.push_back(i % 2 ? 1e-3 : 3e-3);
  SamplingLimits limits;
  limits.max_samples = 8;
  limits.budget = Seconds(100);
  const Timings samples = take_samples(machine.kernel(), machine.clock(), limits);
  EXPECT_EQ(samples.seconds.size(), 8u);
  EXPECT_EQ(samples.stopped_by, StoppedBy::kSampleCount);
}

// A kernel of 1 s against a budget of 0.15 s: three samples, whatever they say.
TEST(Sampler, BudgetNeverGoesBelowTheMinimum) {
  FakeMachine machine{.durations = {1, 1, 3, 2}};
  const Timings samples = take_samples(machine.kernel(), machine.clock(), {});
  EXPECT_EQ(samples.seconds, (std::vector<double>{1, 3, 2}));
  EXPECT_EQ(samples.stopped_by, StoppedBy::kBudget);
}

// 1 us per call, 200 us per sample: at least 200 calls, and the sample is the time of one.
TEST(Sampler, RepeatsShortKernelsWithinOneSample) {
  FakeMachine machine{.durations = {1e-6}};
  const Timings samples = take_samples(machine.kernel(), machine.clock(), {});
  EXPECT_GE(samples.calls_per_sample, 200);
  EXPECT_LE(samples.calls_per_sample, 400);
  for (const double seconds : samples.seconds) EXPECT_NEAR(seconds, 1e-6, 1e-10);
}

TEST(Sampler, RefusesAClockThatStandsStill) {
  EXPECT_THROW(take_samples([] {}, [] { return Seconds(1); }, {}), MeasurementError);
}

TEST(Sampler, RoundsToFiveSignificantDigits) {
  EXPECT_DOUBLE_EQ(rounded_sample(1.23456789e-5), 1.2346e-5);
  EXPECT_DOUBLE_EQ(rounded_sample(987654.321), 987650);
  EXPECT_EQ(rounded_sample(0), 0);
}

}  // namespace
}  // namespace paceline
