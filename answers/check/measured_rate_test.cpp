#include "answers/check/measured_rate.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

TEST(MeasuredRate, ReadsTheUnitsPeopleWrite) {
  EXPECT_DOUBLE_EQ(parse_measured_rate("x", "546.9 samples/s").per_second, 546.9);
  EXPECT_EQ(parse_measured_rate("x", "546.9img/s").unit, RateUnit::kSamples);
  EXPECT_EQ(parse_measured_rate("x", "9600 tokens/s/gpu").unit, RateUnit::kTokens);
  EXPECT_TRUE(parse_measured_rate("x", "9600 tok/s/GPU").per_device);
  EXPECT_EQ(parse_measured_rate("x", "2.7 it/s").unit, RateUnit::kIterations);
  EXPECT_DOUBLE_EQ(parse_measured_rate("x", "250 ms").per_second, 4);
  EXPECT_DOUBLE_EQ(parse_measured_rate("x", "2.07 s/it").per_second, 1 / 2.07);
}

TEST(MeasuredRate, RefusesWhatIsNoRate) {
  for (const char* text : {"", "samples/s", "5", "-5 samples/s", "0 it/s", "nan samples/s",
                           "inf it/s", "5 GB", "5 samples", "5 samples/s/s", "1e999 it/s"}) {
    EXPECT_THROW(parse_measured_rate("--measured", text), UsageError) << text;
  }
}

// Beyond the bounds products with batches, devices and arithmetic would not be finite.
TEST(MeasuredRate, RefusesRatesWithoutMeaning) {
  for (const char* text : {"1e308 it/s", "1e19 samples/s", "1e-308 us", "1e-320 s", "1e308 min",
                           "1e-19 tokens/s", "1e300 s/it"}) {
    EXPECT_THROW(parse_measured_rate("--measured", text), UsageError) << text;
  }
  EXPECT_DOUBLE_EQ(parse_measured_rate("x", "1e18 it/s").per_second, 1e18);
  EXPECT_DOUBLE_EQ(parse_measured_rate("x", "1e9 s").per_second, 1e-9);
}

// 4 devices of batch 8 do 32 samples in an iteration; 128 tokens make a sample.
TEST(MeasuredRate, CountsTheSamplesOfAllDevices) {
  const auto samples = [](const char* text) {
    return samples_per_second(parse_measured_rate("x", text), 4, 32, 128);
  };
  EXPECT_DOUBLE_EQ(samples("100 samples/s"), 100);
  EXPECT_DOUBLE_EQ(samples("100 samples/s/gpu"), 400);
  EXPECT_DOUBLE_EQ(samples("12800 tokens/s"), 100);
  EXPECT_DOUBLE_EQ(samples("2 it/s"), 64);
  EXPECT_DOUBLE_EQ(samples("0.5 s"), 64);
  EXPECT_THROW(samples_per_second(parse_measured_rate("x", "5 tokens/s"), 4, 32, std::nullopt),
               UsageError);
}

}  // namespace
}  // namespace paceline
