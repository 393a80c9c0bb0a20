#include "microbench/cuda/trace/sample_clock.h"

#include <gtest/gtest.h>

namespace paceline::cuda_trace {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kHost = 1'700'000'000'000'000'000;  // now, since 1970

// Sampling begins 0.3 ms after it was switched on; batches are read 0.5 to 1.1 ms after their end.
SampleClock after_batches(std::int64_t gpu_minus_host, int batches) {
  SampleClock clock(kHost);
  const auto gpu = [&](std::uint64_t host) {
    return host + static_cast<std::uint64_t>(gpu_minus_host);
  };
  for (int i = 0; i < batches; ++i) {
    const std::uint64_t begin = kHost + static_cast<std::uint64_t>(i) * 10 * kMs + 3 * kMs / 10;
    const std::uint64_t end = begin + 9 * kMs;
    const std::uint64_t delay = kMs / 2 + static_cast<std::uint64_t>((i + 3) % 7) * kMs / 10;
    clock.seen(gpu(begin), gpu(end), end + delay);
  }
  return clock;
}

TEST(SampleClock, TakesClocksThatAgreeForOne) {
  const SampleClock clock = after_batches(0, 20);
  EXPECT_EQ(clock.offset_ns(), 0);
  EXPECT_LE(clock.uncertainty_ns(), static_cast<std::int64_t>(kMs));
}

// A clock that began with the machine, or runs a second ahead: the true offset lies within the
// uncertainty, which is that of the quickest reading.
TEST(SampleClock, FindsTheOffsetOfAnotherClockWithinItsUncertainty) {
  for (const std::int64_t ahead : {-std::int64_t{kHost} + 5'000'000'000,
                                   std::int64_t{1'000'000'000}, std::int64_t{-40'000'000}}) {
    const SampleClock clock = after_batches(ahead, 20);
    EXPECT_NEAR(static_cast<double>(clock.offset_ns() + ahead), 0,
                static_cast<double>(clock.uncertainty_ns()) + 1)
        << ahead;
    EXPECT_LE(clock.uncertainty_ns(), 400'000) << ahead;
    EXPECT_NE(clock.offset_ns(), 0);
  }
}

TEST(SampleClock, IsSettledAfterSomeBatchesAndHarmlessBefore) {
  EXPECT_EQ(SampleClock(kHost).offset_ns(), 0);
  EXPECT_FALSE(after_batches(0, 3).settled());
  EXPECT_TRUE(after_batches(0, 16).settled());
}

}  // namespace
}  // namespace paceline::cuda_trace
