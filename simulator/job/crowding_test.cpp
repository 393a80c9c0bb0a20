#include "simulator/job/crowding.h"

#include <gtest/gtest.h>

#include <cmath>

namespace paceline {
namespace {

constexpr double kCompute = 0.3;  // seconds, of a worker

// A worker that computes and then is served by one resource after another.
Seconds settled_time(const std::vector<CrowdedResource>& resources) {
  const auto time_under = [&](const Crowding& crowding) {
    Seconds time(kCompute);
    for (const CrowdedResource& r : resources) {
      const auto found = crowding.find(r.name);
      time += (found == crowding.end() ? 1 : found->second) * r.needed;
    }
    return time;
  };
  return time_under(settled_crowding(resources, time_under({}), time_under));
}

double settled(int users, double needed) {
  return settled_time({{"server", users, Seconds(needed)}}).si();
}

// T = Z + d / (1 - (m - 1) d / T) is a quadratic equation.
TEST(Crowding, OfOneServerIsTheClosedForm) {
  for (const int m : {1, 2, 3, 8, 50}) {
    for (const double d : {0.001, 0.01, 0.1, 1.0}) {
      const double sum = kCompute + m * d;
      const double expected = (sum + std::sqrt(sum * sum - 4 * (m - 1) * d * kCompute)) / 2;
      EXPECT_NEAR(settled(m, d) / expected, 1, 3e-6) << m << " workers, " << d << " s each";
    }
  }
}

// A worker by itself finds nobody; many keep a server busy all the time.
TEST(Crowding, LeadsFromOneWorkerToABusyServer) {
  EXPECT_NEAR(settled(1, 0.1), kCompute + 0.1, 1e-6);
  EXPECT_NEAR(settled(1000, 0.1), 1000 * 0.1, 0.1);
  EXPECT_GE(settled(1000, 0.1), 1000 * 0.1 * (1 - 1e-6));
}

// Exact mean value analysis of eight workers at two servers of 0.1 s each, all without compute:
// (8 + 2 - 1) * 0.1 s. The approximation is a few per cent off.
TEST(Crowding, IsCloseToExactMeanValueAnalysis) {
  const std::vector<CrowdedResource> two = {{"up", 8, Seconds(0.1)}, {"down", 8, Seconds(0.1)}};
  double queue = 0, time = 0;  // exact, from one worker to eight; both servers are alike
  for (int workers = 1; workers <= 8; ++workers) {
    const double response = 0.1 * (1 + queue);
    time = kCompute + 2 * response;
    queue = workers * response / time;
  }
  EXPECT_NEAR(settled_time(two).si() / time, 1, 0.05);
}

TEST(Crowding, NeverMakesLessOfMoreWork) {
  double last = 0;
  for (double d = 1e-4; d < 1; d *= 1.07) {
    const double time = settled(8, d);
    EXPECT_GT(time, last) << d;
    last = time;
  }
}

}  // namespace
}  // namespace paceline
