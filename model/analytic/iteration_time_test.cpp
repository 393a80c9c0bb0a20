#include "model/analytic/iteration_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/statistics.h"

namespace paceline {
namespace {

PlannedKernel kernel(const std::string& implementation, double seconds, double shared_sd = 0,
                     double own_sd = 0) {
  PlannedKernel planned;
  planned.kernel.implementation = implementation;
  planned.cost.time = Seconds(seconds);
  planned.cost.shared_sd = shared_sd;
  planned.cost.own_sd = own_sd;
  return planned;
}

// Two micro-batches of one forward and one backward kernel, an update of three tensors.
IterationPlan small_plan() {
  IterationPlan plan;
  plan.layers = {"fc"};
  plan.kernels = {kernel("gemm", 10e-3), kernel("add", 1e-3)};
  plan.begin = {{Phase::kOptimizer, 0, PlannedCall::kNoKernel, Seconds(5e-6), 1}};
  plan.micro_batch = {{Phase::kForward, 0, 0, Seconds(10e-6), 1},
                      {Phase::kBackward, 0, 0, Seconds(20e-6), 2}};
  plan.micro_batches = 2;
  plan.update = {{Phase::kOptimizer, 0, 1, Seconds(1e-6), 3}};
  return plan;
}

TEST(SerialIteration, IsTheSumOfHostAndKernelsWithRepetitionsAndMicroBatches) {
  // 5 us + 2 (10.01 ms + 2 x 10.02 ms) + 3 x 1.001 ms.
  EXPECT_EQ(serial_iteration_time(small_plan()).picoseconds(), 63'108'000'000);
}

TEST(SerialIteration, BreakdownAndPhasesBothAddUpToTheIteration) {
  const IterationPlan plan = small_plan();
  const double total = serial_iteration_time(plan).seconds().si();
  const Breakdown breakdown = serial_breakdown(plan);
  EXPECT_DOUBLE_EQ(breakdown.total().si(), total);
  EXPECT_DOUBLE_EQ(breakdown.host.si(), 5e-6 + 2 * (10e-6 + 2 * 20e-6) + 3e-6);
  EXPECT_DOUBLE_EQ(breakdown.backward.si(), 40e-3);
  const PhaseTimes phases = serial_phases(plan);
  EXPECT_DOUBLE_EQ((phases.forward + phases.backward + phases.optimizer).si(), total);
}

TEST(Draws, WithoutUncertaintyAreAllTheIterationTime) {
  const IterationPlan plan = small_plan();
  for (const double draw : draw_iteration_times(plan, 1, 10)) {
    EXPECT_NEAR(draw, serial_iteration_time(plan).seconds().si(), 1e-12);
  }
}

// A kernel near its physical bound can only be slower than predicted, however unsure its price is.
TEST(Draws, NeverFallBelowWhatIsPossible) {
  IterationPlan plan = small_plan();
  const double certain = serial_iteration_time(plan).seconds().si();
  plan.kernels[0].cost.shared_sd = 0.5;
  plan.kernels[0].cost.least = plan.kernels[0].cost.time;
  const std::vector<double> draws = draw_iteration_times(plan, 3, 100);
  EXPECT_GE(quantile(draws, 0), certain - 1e-12);
  EXPECT_GT(quantile(draws, 0.9), 1.2 * certain);
}

TEST(Draws, RepeatForTheSameSeedAndDifferForAnother) {
  IterationPlan plan = small_plan();
  plan.kernels[0].cost.own_sd = 0.1;
  EXPECT_EQ(draw_iteration_times(plan, 7, 100), draw_iteration_times(plan, 7, 100));
  EXPECT_NE(draw_iteration_times(plan, 7, 100), draw_iteration_times(plan, 8, 100));
}

// That kernels were timed alone concerns all of them at once: it does not average out.
TEST(Draws, TheErrorOfCompositionIsCommonToAllKernels) {
  IterationPlan plan;
  plan.layers = {"x"};
  plan.composition_sd = 0.1;
  for (std::uint32_t i = 0; i < 100; ++i) {
    plan.kernels.push_back(kernel("kernel" + std::to_string(i), 1e-3));
    plan.micro_batch.push_back({Phase::kForward, 0, i, Seconds(), 1});
  }
  EXPECT_NEAR(standard_deviation(draw_iteration_times(plan, 1, 2000)) / 0.1, 0.1, 0.01);
}

// On a device that was not measured families err together: of 100 families with a share c of their
// error in common the spread of the sum is sqrt(c + (1 - c) / 100) of one family's.
TEST(Draws, WhatFamiliesHaveInCommonDoesNotAverageOut) {
  IterationPlan plan;
  plan.layers = {"x"};
  for (std::uint32_t i = 0; i < 100; ++i) {
    plan.kernels.push_back(kernel("family" + std::to_string(i), 1e-3, 0.1, 0));
    plan.kernels.back().cost.common_share = 0.5;
    plan.micro_batch.push_back({Phase::kForward, 0, i, Seconds(), 1});
  }
  EXPECT_NEAR(standard_deviation(draw_iteration_times(plan, 1, 2000)) / 0.1, 0.1 * 0.711, 0.007);
}

// Errors that kernels share do not average out over an iteration; independent ones do: with 100
// equal kernels the spread of the sum is that of one kernel, or a tenth of it.
TEST(Draws, SharedErrorsAddAndIndependentErrorsAverage) {
  IterationPlan shared;
  shared.layers = {"x"};
  IterationPlan independent = shared;
  for (std::uint32_t i = 0; i < 100; ++i) {
    shared.kernels.push_back(kernel("same", 1e-3, 0.1, 0));
    independent.kernels.push_back(kernel("same", 1e-3, 0, 0.1));
    independent.kernels.back().kernel.shape = GemmShape{.m = i + 1, .n = 1, .k = 1};
    shared.micro_batch.push_back({Phase::kForward, 0, i, Seconds(), 1});
    independent.micro_batch.push_back({Phase::kForward, 0, i, Seconds(), 1});
  }
  EXPECT_NEAR(standard_deviation(draw_iteration_times(shared, 1, 2000)) / 0.1, 0.1, 0.01);
  EXPECT_NEAR(standard_deviation(draw_iteration_times(independent, 1, 2000)) / 0.1, 0.01, 0.001);
}

}  // namespace
}  // namespace paceline
