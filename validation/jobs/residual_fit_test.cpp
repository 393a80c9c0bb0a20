#include "validation/jobs/residual_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/error.h"

namespace paceline {
namespace {

// A case of which a share `computing` of the time is computing and the rest is sent.
JobCase job_case(double residual, double computing) {
  JobCase out;
  out.residual = residual;
  for (IntervalSide* side : {&out.low, &out.high}) {
    const double sign = side == &out.low ? -1 : 1;
    for (std::size_t i = 0; i < kComputingGrid.size(); ++i) {
      side->computing[i] = std::abs(std::log1p(computing * std::expm1(sign * kComputingGrid[i])));
      side->communication[i] =
          std::abs(std::log1p((1 - computing) * std::expm1(sign * kCommunicationGrid[i])));
    }
  }
  return out;
}

// Runs whose computing takes up to a fifth longer, and nothing else: found to the grid's step, and
// nothing is said of communication.
TEST(ResidualFit, FindsASpreadOfComputing) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> longer(0, 0.2);
  std::vector<JobCase> set;
  for (int i = 0; i < 2000; ++i) set.push_back(job_case(longer(random), 1));
  const JobResiduals found = fit_residuals({set});
  EXPECT_NEAR(found.computing.high, 0.18, 0.03);
  EXPECT_EQ(found.computing.low, 0);
  EXPECT_EQ(found.communication.high, 0);
}

TEST(ResidualFit, FindsASpreadOfCommunicationOnEitherSide) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, 0.3);
  std::vector<JobCase> set;
  for (int i = 0; i < 2000; ++i) set.push_back(job_case(normal(random), 0));
  const JobResiduals found = fit_residuals({set});
  EXPECT_NEAR(found.communication.high, 1.645 * 0.3, 0.15);
  EXPECT_NEAR(found.communication.low, -1.645 * 0.3, 0.15);
}

// What is known already needs no residual.
TEST(ResidualFit, AddsNothingToIntervalsThatHoldEveryRun) {
  std::vector<JobCase> set(50, job_case(0.05, 0.5));
  for (JobCase& one : set) one.high.known = 0.1;
  const JobResiduals found = fit_residuals({set});
  EXPECT_EQ(found.computing.high, 0);
  EXPECT_EQ(found.communication.high, 0);
}

// A set of a thousand runs does not outvote one of ten: of both together, 99 % would be inside.
TEST(ResidualFit, CountsEverySetOnce) {
  const std::vector<JobCase> many(1000, job_case(0, 1));
  const std::vector<JobCase> few(10, job_case(0.099, 1));
  EXPECT_NEAR(fit_residuals({many, few}).computing.high, 0.1, 1e-9);
  EXPECT_EQ(fit_residuals({many}).computing.high, 0);
}

TEST(ResidualFit, RefusesSetsWithoutCases) {
  EXPECT_THROW(fit_residuals({}), Error);
  EXPECT_THROW(fit_residuals({{}}), Error);
}

}  // namespace
}  // namespace paceline
