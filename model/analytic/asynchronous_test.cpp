#include "model/analytic/asynchronous.h"

#include <gtest/gtest.h>

#include <random>

#include "model/analytic/iteration_time.h"
#include "model/analytic/max_plus.h"

namespace paceline {
namespace {

constexpr double kMicro = 1e-6;

// `count` equal calls: the host spends `host`, the kernel takes `kernel`.
IterationPlan equal_calls(int count, double host, double kernel) {
  IterationPlan plan;
  plan.dispatch = Dispatch::kAsynchronous;
  plan.launch_latency = Seconds(5 * kMicro);
  plan.layers = {"x"};
  plan.kernels.push_back({});
  plan.kernels[0].cost.time = Seconds(kernel);
  for (int i = 0; i < count; ++i) {
    plan.micro_batch.push_back({Phase::kForward, 0, 0, Seconds(host), 1});
  }
  return plan;
}

// A device slower than its host waits only for the first dispatch.
TEST(AsynchronousIteration, HidesTheHostBehindLongKernels) {
  const IterationPlan plan = equal_calls(100, 10 * kMicro, 1000 * kMicro);
  EXPECT_NEAR(asynchronous_iteration_time(plan).seconds().si(), 0.1 + 15 * kMicro, 1e-12);
  EXPECT_NEAR(asynchronous_breakdown(plan).host.si(), 15 * kMicro, 1e-12);
}

// A host slower than the device sets the pace: the iteration is its work and the last kernel.
TEST(AsynchronousIteration, IsBoundByLaunchesWhenKernelsAreShort) {
  const IterationPlan plan = equal_calls(100, 10 * kMicro, 2 * kMicro);
  EXPECT_NEAR(asynchronous_iteration_time(plan).seconds().si(), 1007 * kMicro, 1e-12);
  EXPECT_NEAR(asynchronous_breakdown(plan).forward.si(), 200 * kMicro, 1e-12);
}

// A call that waits for the device exposes its dispatch and the launch latency once more.
TEST(AsynchronousIteration, WaitingForTheDeviceExposesTheNextDispatch) {
  IterationPlan plan = equal_calls(100, 10 * kMicro, 1000 * kMicro);
  plan.micro_batch[50].synchronizes = true;
  EXPECT_NEAR(asynchronous_iteration_time(plan).seconds().si(), 0.1 + 30 * kMicro, 1e-12);
}

TEST(AsynchronousIteration, BreakdownAndPhasesAddUpToTheIteration) {
  IterationPlan plan = equal_calls(10, 10 * kMicro, 7 * kMicro);
  for (std::size_t i = 5; i < 10; ++i) plan.micro_batch[i].phase = Phase::kBackward;
  plan.update = {{Phase::kOptimizer, 0, 0, Seconds(20 * kMicro), 3}};
  for (const std::int64_t batches : {1, 2, 3, 17}) {
    plan.micro_batches = batches;
    const double total = asynchronous_iteration_time(plan).seconds().si();
    EXPECT_NEAR(asynchronous_breakdown(plan).total().si(), total, 1e-12);
    const PhaseTimes phases = asynchronous_phases(plan);
    EXPECT_NEAR((phases.forward + phases.backward + phases.optimizer).si(), total, 1e-12);
    EXPECT_GT(phases.backward.si(), 0);
  }
}

// Repetitions and micro-batches are powers of a map; written out call by call they take as long.
TEST(AsynchronousIteration, RepetitionIsTheSameAsWritingTheCallsOut) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> time(1 * kMicro, 30 * kMicro);
  for (int trial = 0; trial < 50; ++trial) {
    IterationPlan plan = equal_calls(1, time(random), time(random));
    plan.kernels.push_back({});
    plan.kernels[1].cost.time = Seconds(time(random));
    plan.micro_batch[0].repeat = 5;
    plan.micro_batch.push_back({Phase::kBackward, 0, 1, Seconds(time(random)), 1, trial % 2 == 0});
    plan.micro_batches = 4;
    IterationPlan written = plan;
    written.micro_batch.clear();
    for (int batch = 0; batch < 4; ++batch) {
      PlannedCall first = plan.micro_batch[0];
      first.repeat = 1;
      for (int i = 0; i < 5; ++i) written.micro_batch.push_back(first);
      written.micro_batch.push_back(plan.micro_batch[1]);
    }
    written.micro_batches = 1;
    EXPECT_EQ(asynchronous_iteration_time(plan), asynchronous_iteration_time(written));
  }
}

TEST(AsynchronousIteration, DrawsWithoutUncertaintyAreTheIterationTime) {
  const IterationPlan plan = equal_calls(20, 10 * kMicro, 9 * kMicro);
  for (const double draw : draw_iteration_times(plan, 1, 5)) {
    EXPECT_NEAR(draw, iteration_time(plan).seconds().si(), 1e-12);
  }
}

// Kernels of one family share their error, whatever code runs them.
TEST(AsynchronousIteration, DrawsShareTheErrorOfAFamily) {
  IterationPlan plan = equal_calls(1, 0, 1e-3);
  plan.launch_latency = Seconds(0);
  plan.micro_batch.clear();
  plan.kernels.clear();
  for (std::uint32_t i = 0; i < 50; ++i) {
    PlannedKernel planned;
    planned.kernel.implementation = "kernel" + std::to_string(i);
    planned.cost.time = Seconds(1e-3);
    planned.cost.shared_sd = 0.1;
    planned.cost.family = "one";
    plan.kernels.push_back(planned);
    plan.micro_batch.push_back({Phase::kForward, 0, i, Seconds(0), 1});
  }
  double squares = 0;
  const auto draws = draw_iteration_times(plan, 1, 2000);
  for (const double draw : draws) squares += std::pow(std::log(draw / 0.05), 2);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(draws.size())), 0.1, 0.01);
}

}  // namespace
}  // namespace paceline
