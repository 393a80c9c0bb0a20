// The harness with a GPU that is not there.
#include "microbench/gpu/gpu_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "microbench/gpu/fake_gpu.h"

namespace paceline {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class GpuRounds : public testing::Test {
 protected:
  GpuRounds() {
    registry_.add("fake.one", "one", std::make_unique<FakeGpuBenchmark>(3));
    registry_.add("fake.two", "two", std::make_unique<FakeGpuBenchmark>(2));
    context_.clock = [this] { return device_.now; };
    context_.limits.min_sample = Seconds(1e-3);
    context_.on_case = [this](std::size_t number, const GpuCase&) {
      device_.start_case(static_cast<int>(number));
    };
  }
  std::vector<GpuCase> cases() {
    return plan_gpu_cases(registry_, GpuDesign::kFull, device_.info(), "fake-16g", {});
  }
  GpuRunOutcome run() { return measure_gpu_cases(cases(), device_, context_, set_); }
  std::string reason(std::size_t result) const {
    return set_.results.at(result).skipped ? set_.results.at(result).reason : "measured";
  }

  GpuBenchmarkRegistry registry_;
  FakeGpuUnderTest device_;
  GpuRunContext context_;
  MeasurementSet set_;
};

// A run that is cut short has something of each benchmark.
TEST_F(GpuRounds, AreOrderedByTurns) {
  std::vector<std::string> order;
  for (const GpuCase& entry : cases()) order.push_back(entry.benchmark);
  EXPECT_THAT(order, ElementsAre("fake.one", "fake.two", "fake.one", "fake.two", "fake.one"));
  EXPECT_EQ(text_axis(cases().front().axes, "device", ""), "fake-16g");
}

TEST_F(GpuRounds, CanBeNarrowedToBenchmarksThatExist) {
  EXPECT_THAT(plan_gpu_cases(registry_, GpuDesign::kFull, device_.info(), "x", {"fake.two"}),
              SizeIs(2));
  EXPECT_THAT(plan_gpu_cases(registry_, GpuDesign::kQuick, device_.info(), "x", {"fake"}),
              SizeIs(2));
  EXPECT_THROW(plan_gpu_cases(registry_, GpuDesign::kFull, device_.info(), "x", {"fake.to"}),
               UsageError);
}

TEST_F(GpuRounds, KeepSamplesFactsAndClock) {
  const GpuRunOutcome outcome = run();
  EXPECT_EQ(outcome.measured, 5u);
  EXPECT_EQ(outcome.ended_early, "");
  ASSERT_THAT(set_.results, SizeIs(5));
  const Measurement& first = set_.results.front();
  EXPECT_DOUBLE_EQ(first.value().si(), 100e-6);
  EXPECT_TRUE(first.result_checked);
  EXPECT_EQ(text_axis(first.facts, "algorithm", ""), "fastest");
  EXPECT_EQ(text_axis(first.facts, "stopped_by", ""), "precision");
  EXPECT_DOUBLE_EQ(number_axis(first.facts, "sm_clock_hz", ""), 1e9);
  EXPECT_THAT(gpu_warnings(set_, device_.info()), IsEmpty());
}

TEST_F(GpuRounds, SkipWhatDoesNotFitAndGoOn) {
  device_.script.out_of_memory_at = 1;
  device_.script.wrong_result_at = 2;
  const GpuRunOutcome outcome = run();
  EXPECT_EQ(outcome.measured, 3u);
  EXPECT_EQ(outcome.skipped, 2u);
  EXPECT_EQ(reason(1), "out of memory: needs 9 GB of 1 GB free");
  EXPECT_EQ(reason(2), "element 3 is 7, expected 8");
  EXPECT_EQ(reason(3), "measured");
}

TEST_F(GpuRounds, SkipWhatIsUnsupportedWithTheReason) {
  registry_.add("fake.three", "three",
                std::make_unique<FakeGpuBenchmark>(1, "needs 2 GPUs, found 1"));
  run();
  EXPECT_EQ(reason(2), "needs 2 GPUs, found 1");
}

TEST_F(GpuRounds, SkipWhileOthersComputeAndGoOnAfterwards) {
  device_.script.busy_from = 0;
  device_.script.busy_to = 2;
  const GpuRunOutcome outcome = run();
  EXPECT_EQ(outcome.measured, 3u);
  EXPECT_THAT(reason(0), HasSubstr("busy: 2 other processes"));
}

TEST_F(GpuRounds, EndWithTheDeviceAndNameWhatWasNotReached) {
  device_.script.lost_at = 2;
  const GpuRunOutcome outcome = run();
  EXPECT_EQ(outcome.measured, 2u);
  EXPECT_THAT(outcome.ended_early, HasSubstr("device lost"));
  EXPECT_EQ(reason(2), "device lost: fell off the bus");
  EXPECT_EQ(reason(4), "not reached: device lost: fell off the bus");
}

TEST_F(GpuRounds, RefuseAResultWithAMemoryError) {
  device_.script.ecc_at = 3;
  run();
  EXPECT_THAT(reason(3), HasSubstr("ECC"));
  EXPECT_EQ(reason(4), "measured");
}

TEST_F(GpuRounds, TakeAResultAgainWhenTheClockChanged) {
  device_.script.clock_drops_at = 1;
  run();
  EXPECT_EQ(set_.results.at(1).accepted_rounds(), 1u);
  EXPECT_DOUBLE_EQ(number_axis(set_.results.at(1).facts, "sm_clock_hz", ""), 0.9e9);
}

TEST_F(GpuRounds, DoNotAcceptAResultWhoseClockNeverSettles) {
  device_.script.clock_drifts_at = 1;
  run();
  EXPECT_EQ(set_.results.at(1).accepted_rounds(), 0u);
  EXPECT_THAT(gpu_warnings(set_, device_.info()), Contains(HasSubstr("1 of 5 results were taken")));
}

TEST_F(GpuRounds, OfAPartitionAreMeasuredWithoutAClockAndSaySo) {
  device_.script.is_partition = true;
  run();
  for (const Measurement& result : set_.results) {
    EXPECT_FALSE(result.skipped);
    EXPECT_EQ(result.accepted_rounds(), 1u);
    EXPECT_FALSE(result.facts.contains("sm_clock_hz"));
  }
  EXPECT_THAT(gpu_warnings(set_, device_.info()),
              ElementsAre(HasSubstr("5 of 5 results have no clock on record"),
                          HasSubstr("a partition (MIG) of a larger one")));
}

TEST_F(GpuRounds, EndWhenTheTimeIsSpentWithAPartialResult) {
  context_.time_budget = Seconds(5e-3);
  const GpuRunOutcome outcome = run();
  EXPECT_EQ(outcome.ended_early, "time budget spent");
  EXPECT_GT(outcome.measured, 0u);
  EXPECT_LT(outcome.measured, 5u);
  EXPECT_THAT(set_.results, SizeIs(5));
  EXPECT_EQ(reason(4), "not reached: time budget spent");
}

TEST_F(GpuRounds, ResumeWhereTheyEnded) {
  context_.time_budget = Seconds(5e-3);
  const std::size_t before = run().measured;
  context_.time_budget.reset();
  context_.resume = true;
  const std::vector<Measurement> kept(set_.results.begin(),
                                      set_.results.begin() + static_cast<std::ptrdiff_t>(before));
  const GpuRunOutcome second = run();
  EXPECT_EQ(second.kept, before);
  EXPECT_EQ(second.measured, 5 - before);
  for (std::size_t i = 0; i < before; ++i) EXPECT_EQ(set_.results.at(i), kept.at(i));
  EXPECT_EQ(reason(4), "measured");
}

TEST_F(GpuRounds, EndWhenInterrupted) {
  int asked = 0;
  context_.interrupted = [&] { return ++asked > 2; };
  EXPECT_EQ(run().ended_early, "interrupted");
  EXPECT_EQ(reason(1), "measured");
  EXPECT_EQ(reason(2), "not reached: interrupted");
}

TEST_F(GpuRounds, TimeColdOperandsCold) {
  registry_.add("fake.cold", "cold", std::make_unique<FakeGpuBenchmark>(1));
  std::vector<GpuCase> all = cases();
  all.resize(1);
  all.front().axes["cache"] = std::string("cold");
  measure_gpu_cases(all, device_, context_, set_);
  EXPECT_DOUBLE_EQ(set_.results.front().value().si(), 200e-6);
}

TEST_F(GpuRounds, AreSavedWholeEvenWhenTheyEndEarly) {
  int saved = 0;
  context_.save = [&] { ++saved; };
  context_.save_every = Seconds(0);
  device_.script.lost_at = 2;
  run();
  EXPECT_EQ(saved, 3);  // after two cases, and at the end
}

}  // namespace
}  // namespace paceline
