#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/analytic/iteration_time.h"
#include "model/cost/roofline.h"
#include "model/graph/workload.h"
#include "simulator/engine/engine.h"
#include "simulator/lower/lower.h"
#include "simulator/lower/plan.h"

namespace paceline {
namespace {

// Prices of no particular machine: the laws below hold for any.
IterationPlan plan_of(const std::string& model, std::int64_t batch, int threads,
                      std::int64_t micro_batches = 1) {
  const WorkloadGraph graph = build_workload(workload_registry(), model, {.batch = batch});
  const ExecutionContext context{threads};
  const RooflineCostModel costs({.peak = {{Precision::kFp32, FlopsPerSecond(1e11)}},
                                 .bandwidth = BytesPerSecond(3.3e10),
                                 .cores = 2,
                                 .source = "test"});
  HostCosts host;
  host.call = Seconds(1.1e-6);
  return plan_iteration(framework_registry().make("pytorch")->issue(graph, context, {}), costs,
                        host, context, micro_batches);
}

class EveryNetworkOfTheRecorder : public testing::TestWithParam<const char*> {};

TEST_P(EveryNetworkOfTheRecorder, SimulatesToExactlyTheClosedForm) {
  const IterationPlan plan = plan_of(GetParam(), 4, 1);
  EXPECT_EQ(simulate_iteration(plan), serial_iteration_time(plan));
}

TEST_P(EveryNetworkOfTheRecorder, RepeatsEveryIterationAlike) {
  const IterationPlan plan = plan_of(GetParam(), 4, 1);
  EXPECT_EQ(simulate_iteration(plan, 1), simulate_iteration(plan, 3));
}

TEST_P(EveryNetworkOfTheRecorder, BreakdownAddsUpToTheIteration) {
  const IterationPlan plan = plan_of(GetParam(), 4, 1);
  const double total = serial_iteration_time(plan).seconds().si();
  EXPECT_NEAR(serial_breakdown(plan).total().si(), total, 1e-12 * total);
}

TEST_P(EveryNetworkOfTheRecorder, TakesLongerWithALargerBatch) {
  EXPECT_LT(serial_iteration_time(plan_of(GetParam(), 4, 1)),
            serial_iteration_time(plan_of(GetParam(), 8, 1)));
}

// Gradient accumulation repeats forward and backward and leaves zero_grad and update alone.
TEST_P(EveryNetworkOfTheRecorder, AccumulatesGradientsByRepeatingForwardAndBackward) {
  const IterationPlan one = plan_of(GetParam(), 4, 1);
  const IterationPlan three = plan_of(GetParam(), 4, 1, 3);
  const PhaseTimes single = serial_phases(one);
  const PhaseTimes triple = serial_phases(three);
  EXPECT_NEAR(triple.forward.si(), 3 * single.forward.si(), 1e-12);
  EXPECT_EQ(triple.optimizer.si(), single.optimizer.si());
  EXPECT_EQ(simulate_iteration(three), serial_iteration_time(three));
}

INSTANTIATE_TEST_SUITE_P(Networks, EveryNetworkOfTheRecorder,
                         testing::Values("fcn-r", "fcn-s", "alexnet", "resnet50", "lstm-ptb",
                                         "transformer-tiny"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

// A product on each of two threads takes what both would take for it together, twice; a kernel too
// small to be shared takes what it takes alone.
TEST(Plan, KernelsSideBySideShareTheMachine) {
  struct Prices : CostModel {
    KernelCost cost(const Kernel& kernel, const ExecutionContext& context) const override {
      const bool large = std::get<GemmShape>(kernel.shape).m > 100;
      KernelCost out;
      out.time = Seconds(large && context.threads == 2 ? 0.6 : 1.0);
      return out;
    }
  };
  const auto seconds = [](std::int64_t m, bool side_by_side) {
    IssuedIteration issued;
    issued.layers = {"product"};
    IssuedCall call;
    call.kernel = Kernel{"openblas.sgemm", GemmShape{.m = m, .n = 1, .k = 1}};
    call.side_by_side = side_by_side;
    issued.micro_batch = {call};
    return plan_iteration(issued, Prices(), HostCosts{}, ExecutionContext{2})
        .kernels.at(0)
        .cost.time;
  };
  EXPECT_EQ(seconds(1000, false), Seconds(0.6));
  EXPECT_EQ(seconds(1000, true), Seconds(1.2));
  EXPECT_EQ(seconds(10, true), Seconds(1.0));
}

TEST(Lower, MergesMicroBatchesThatNobodyCouldLookAtWithoutChangingTheTime) {
  const IterationPlan plan = plan_of("fcn-r", 4, 1, 100'000);
  const LoweredRun run = lower(plan, 1);
  EXPECT_LT(run.graph.size(), 1000U);
  EXPECT_EQ(schedule(run.graph, run.platform).makespan, serial_iteration_time(plan));
}

TEST(Lower, LabelsTasksWithLayerPhaseAndImplementation) {
  const IterationPlan plan = plan_of("fcn-r", 4, 1);
  const LoweredRun run = lower(plan, 1);
  bool found = false;
  for (std::uint32_t i = 0; i < run.graph.size(); ++i) {
    const Label& label = run.graph.label(TaskId{i});
    if (label.kind != SpanKind::kForward || run.graph.name(TaskId{i}) != "openblas.sgemm") continue;
    found = true;
    EXPECT_GE(label.layer, 0);
    EXPECT_LT(label.layer, static_cast<std::int32_t>(plan.layers.size()));
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace paceline
