#include "answers/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "answers/plan/amount.h"
#include "core/error.h"

namespace paceline {
namespace {

using testing::HasSubstr;

constexpr double kDay = 86400;

Report report(std::int64_t devices, double samples_per_s, bool fits = true) {
  Report r;
  r.experiment.model = "resnet50";
  r.experiment.batch = 8;
  r.experiment.device = "t4";
  r.experiment.devices = devices;
  r.experiment.devices_per_machine = 8;
  r.throughput_samples_per_s = {samples_per_s, 0.9 * samples_per_s, 1.1 * samples_per_s};
  r.memory.weights = 2;
  r.memory.capacity = fits ? 4 : 1;
  return r;
}

TEST(TrainingTime, IsSamplesOverThroughputWithoutOverheads) {
  const TrainingTime time = training_time(report(8, 1000), 86.4e6, {});
  EXPECT_DOUBLE_EQ(time.total_s.median, kDay);
  EXPECT_DOUBLE_EQ(time.total_s.p95, kDay / 0.9);
  EXPECT_EQ(time.training.si(), time.total_s.median);
}

// Two machines that read 400 samples/s each hold 1000 back to 800.
TEST(TrainingTime, WaitsForInputThatIsTooSlow) {
  Overheads o;
  o.loader = SamplesPerSecond(400);
  const TrainingTime time = training_time(report(16, 1000), 8e6, o);
  EXPECT_DOUBLE_EQ(time.total_s.median, 1e4);
  EXPECT_DOUBLE_EQ(time.waiting_for_input.si(), 2e3);
}

// Young: checkpoints of 50 s and a failure every 10^4 s are best sqrt(2 * 50 * 10^4) = 1000 s
// apart.
TEST(TrainingTime, ChoosesTheIntervalOfCheckpointsAndLosesHalfOfItPerFailure) {
  Overheads o;
  o.checkpoint = Seconds(50);
  o.machine_mtbf = Seconds(2e4);
  o.restart = Seconds(100);
  const TrainingTime time = training_time(report(16, 1000), 1e8, o);
  ASSERT_TRUE(time.checkpoint_interval.has_value());
  EXPECT_DOUBLE_EQ(time.checkpoint_interval->si(), 1000);
  EXPECT_DOUBLE_EQ(time.checkpoints.si(), 0.05 * 1e5);
  const double lost = (500.0 + 100.0) / 1e4;
  EXPECT_NEAR(time.failures.si(), 1.05e5 * lost / (1 - lost), 1e-6);
}

TEST(TrainingTime, PartsAddUp) {
  Overheads o;
  o.loader = SamplesPerSecond(400);
  o.evaluation = Seconds(60);
  o.evaluations = 90;
  o.checkpoint = Seconds(50);
  o.checkpoint_interval = Seconds(1800);
  o.machine_mtbf = Seconds(1e6);
  const TrainingTime t = training_time(report(16, 1000), 1e8, o);
  const Seconds sum = t.training + t.waiting_for_input + t.evaluation + t.checkpoints + t.failures;
  EXPECT_NEAR(sum.si(), t.total_s.median, 1e-6);
}

TEST(TrainingTime, RefusesFailuresThatLeaveNoTimeToWork) {
  Overheads o;
  o.checkpoint = Seconds(100);
  o.machine_mtbf = Seconds(60);
  EXPECT_THROW(training_time(report(16, 1000), 1e8, o), UsageError);
}

// Endless and absurd times name the flags that make them.
TEST(TrainingTime, RefusesMoreThanAMillionYears) {
  const auto refusal = [](const Overheads& o, double samples) -> std::string {
    try {
      training_time(report(8, 1000), samples, o);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  Overheads slow;
  slow.loader = SamplesPerSecond(1e-308);
  EXPECT_THAT(refusal(slow, 1e6), HasSubstr("--loader"));
  Overheads evaluated;
  evaluated.evaluation = Seconds(1e304);
  evaluated.evaluations = 1e9;
  EXPECT_THAT(refusal(evaluated, 1e6), HasSubstr("--evaluations"));
  EXPECT_THAT(refusal({}, 1e18), HasSubstr("1 million years"));
  EXPECT_EQ(refusal({}, 1e16), "");
}

// 1, 2 and 4 days: with a deadline of 3 the one of fewest device-hours that keeps it leads.
TEST(Plan, PutsTheCheapestThatMeetsTheDeadlineFirst) {
  std::vector<Report> reports = {report(32, 1000), report(16, 500), report(8, 250),
                                 report(4, 4000, false)};
  reports[3].largest_batch = 5;
  Goal goal;
  goal.samples = 86.4e6;
  goal.deadline = Seconds(3 * kDay);
  const auto plan = make_plan(reports, goal, {}, nullptr);
  EXPECT_TRUE(plan[0].feasible);
  EXPECT_TRUE(plan[1].feasible);
  EXPECT_FALSE(plan[2].feasible);
  EXPECT_FALSE(plan[3].feasible);
  const auto reason_of = [&](std::size_t index) {
    for (const auto& planned : plan) {
      if (planned.index == index) return planned.reason;
    }
    return std::string();
  };
  EXPECT_THAT(reason_of(2), HasSubstr("1.33 times the deadline"));
  EXPECT_THAT(reason_of(3), HasSubstr("does not fit"));
  EXPECT_THAT(reason_of(3), HasSubstr("the largest batch is 5"));
}

TEST(Plan, SaysWhereOnlyTheMedianMeetsTheDeadline) {
  Goal goal;
  goal.samples = 86.4e6;
  goal.deadline = Seconds(1.05 * kDay);
  const auto plan = make_plan({report(32, 1000)}, goal, {}, nullptr);
  EXPECT_TRUE(plan[0].feasible);
  EXPECT_THAT(plan[0].reason, HasSubstr("may miss"));
}

TEST(Plan, NeedsPricesForABudget) {
  Goal goal;
  goal.samples = 1;
  goal.budget = Money{100, "USD"};
  EXPECT_THROW(make_plan({report(1, 1)}, goal, {}, nullptr), UsageError);
}

TEST(Plan, TakesAThroughputAsGoal) {
  Goal goal;
  goal.throughput = SamplesPerSecond(600);
  const auto plan =
      make_plan({report(8, 500), report(16, 900), report(32, 1700)}, goal, {}, nullptr);
  EXPECT_EQ(plan[0].index, 1u);
  EXPECT_FALSE(plan[2].feasible);
}

// Two machines that read 400 samples/s each: what computes 900 reaches 800, and no goal above.
TEST(Plan, ReachesNoMoreThanTheLoadersDeliver) {
  Overheads o;
  o.loader = SamplesPerSecond(400);
  Goal goal;
  goal.throughput = SamplesPerSecond(850);
  const auto missed = make_plan({report(16, 900)}, goal, o, nullptr);
  EXPECT_FALSE(missed[0].feasible);
  EXPECT_THAT(missed[0].reason, HasSubstr("--loader"));
  EXPECT_EQ(missed[0].rate.median, 800);
  EXPECT_EQ(missed[0].rate.p05, 800);
  EXPECT_THAT(plan_table({report(16, 900)}, missed).to_string(), HasSubstr("800"));
  goal.throughput = SamplesPerSecond(800);
  EXPECT_TRUE(make_plan({report(16, 900)}, goal, o, nullptr)[0].feasible);
  EXPECT_TRUE(make_plan({report(24, 900)}, goal, o, nullptr)[0].reason.empty());
}

TEST(Amount, IsReadWithDecimalPrefixes) {
  EXPECT_EQ(parse_amount("--tokens", "1T"), 1e12);
  EXPECT_EQ(parse_amount("--tokens", "400B"), 4e11);
  EXPECT_EQ(parse_amount("--samples", "1.28M"), 1280000);
  for (const char* text : {"", "0", "-1", "1.5", "nan", "inf", "1Q", "1e30", "M"}) {
    EXPECT_THROW(parse_amount("--samples", text), UsageError) << text;
  }
}

}  // namespace
}  // namespace paceline
