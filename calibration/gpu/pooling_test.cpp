#include "calibration/gpu/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace paceline {
namespace {

std::vector<FitParameter> one_prior() {
  return {{.name = "compute_share", .unit = "1", .center = 0.75, .prior_sd = 0.3}};
}

DeviceEstimate estimate(const std::string& architecture, double value, double sd) {
  return {"device", architecture, {std::log(value)}, {sd * sd}};
}

// Posterior precision = prior precision + information of the data, so the data's own estimate comes
// back exactly.
TEST(Pooling, RemovingThePriorGivesBackWhatTheDataSaid) {
  const auto priors = one_prior();
  const double data = std::log(0.5), data_variance = 0.01;
  const double prior_variance = 0.09, center = std::log(0.75);
  const double variance = 1 / (1 / data_variance + 1 / prior_variance);
  const double posterior = variance * (data / data_variance + center / prior_variance);
  const DeviceEstimate out = without_prior("d", "a", priors, {posterior}, {variance});
  EXPECT_NEAR(out.coordinates[0], data, 1e-12);
  EXPECT_NEAR(out.variances[0], data_variance, 1e-12);
}

TEST(Pooling, AParameterTheDataSayNothingAboutCountsForNothing) {
  const auto priors = one_prior();
  const DeviceEstimate out = without_prior("d", "a", priors, {std::log(0.75)}, {0.089});
  EXPECT_TRUE(std::isinf(out.variances[0]));
  const Expectation with = expect(priors, {out}, "b");
  const Expectation none = expect(priors, {}, "b");
  EXPECT_DOUBLE_EQ(with.centers[0], none.centers[0]);
}

TEST(Pooling, WithoutDevicesThePriorIsExpected) {
  const Expectation out = expect(one_prior(), {}, "a");
  EXPECT_NEAR(out.centers[0], std::log(0.75), 1e-12);
  EXPECT_GE(out.sds[0], 0.3);
}

// A device of the same architecture says more than one of another, and brings the expectation
// closer to itself.
TEST(Pooling, TheSameArchitectureCountsMore) {
  const std::vector<DeviceEstimate> estimates = {estimate("a", 0.5, 0.02),
                                                 estimate("b", 0.9, 0.02)};
  const Expectation a = expect(one_prior(), estimates, "a");
  const Expectation c = expect(one_prior(), estimates, "c");
  EXPECT_LT(a.centers[0], c.centers[0]);
  EXPECT_GT(a.centers[0], std::log(0.5));
  EXPECT_LT(a.sds[0], c.sds[0]);
}

// Devices drawn from a known population: the next one lies in the stated 90 % interval about nine
// times in ten.
TEST(Pooling, TheNextDeviceLiesInTheStatedInterval) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int inside = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<DeviceEstimate> estimates;
    for (const char* architecture : {"a", "b", "c", "d", "e", "f"}) {
      const double truth = std::log(0.8) + 0.2 * normal(random);
      estimates.push_back({"d", architecture, {truth + 0.03 * normal(random)}, {0.03 * 0.03}});
    }
    const double next = std::log(0.8) + 0.2 * normal(random);
    const Expectation out = expect(one_prior(), estimates, "new");
    inside += std::abs(next - out.centers[0]) < 1.645 * out.sds[0] ? 1 : 0;
  }
  EXPECT_GT(inside, 0.85 * kTrials);
  EXPECT_LT(inside, 0.97 * kTrials);
}

}  // namespace
}  // namespace paceline
