// Which conditions of a job its simulation may leave out of its interval.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "simulator/strategies/testing/test_job.h"

namespace paceline {
namespace {

std::vector<JobConditions> one_changed() {
  std::vector<JobConditions> out;
  for (const auto factor : {&JobConditions::computing, &JobConditions::communication}) {
    for (const double value : {0.7, 1.4}) (out.emplace_back()).*factor = value;
  }
  for (const auto deviations : {&JobConditions::messages, &JobConditions::links,
                                &JobConditions::processors, &JobConditions::contention}) {
    for (const double value : {-1.6, 1.6}) (out.emplace_back()).*deviations = value;
  }
  return out;
}

TestJob contended_job(int machines, int per_machine, const OverlapCatalog& overlap) {
  TestJob job = test_job(machines, per_machine);
  job.spec.priors = {
      .measured_link = 0.1, .assumed_link = 0.2, .processors = 0.3, .server_process = 0.2};
  job.spec.contention = Contention{{80, BytesPerSecond(8e11)}, &overlap, 0.3};
  for (auto* segments : {&job.spec.profile.forward, &job.spec.profile.backward}) {
    for (ComputeSegment& segment : *segments) segment.compute_bound = segment.time;
  }
  return job;
}

class ConditionsOfStrategy : public testing::TestWithParam<std::string> {};

// A condition that the simulation has not asked for is not simulated: the time would be the same.
// What is simulated for an interval is what a whole result would say.
TEST_P(ConditionsOfStrategy, DecideNothingWhereTheyAreNotRead) {
  const OverlapCatalog overlap = OverlapCatalog::shipped();
  const CommunicationModels models;
  const auto strategy = strategy_registry().make(GetParam());
  const StrategyOptions options(GetParam(), all_options(*strategy), {});
  int ran = 0;
  for (const auto& [machines, per_machine] : {std::pair{1, 4}, {4, 1}, {2, 4}}) {
    const TestJob job = contended_job(machines, per_machine, overlap);
    Communicator communicator(models, job.spec.cluster, "volta", 0);
    std::optional<JobResult> result;
    try {
      result = simulate_job(job.spec, *strategy, options, communicator);
    } catch (const UsageError&) {
      continue;  // refuses the job
    }
    ++ran;
    for (const JobConditions& conditions : one_changed()) {
      const JobSpec changed = under(job.spec, conditions);
      const Seconds time = steady_time(changed, *strategy, options, communicator);
      if (!result->conditions_read.may_decide(conditions)) {
        EXPECT_EQ(time, result->iteration_time);
      }
      EXPECT_EQ(time, simulate_job(changed, *strategy, options, communicator).iteration_time);
    }
  }
  EXPECT_GT(ran, 0);
}

std::vector<std::string> strategies() {
  std::vector<std::string> out = strategy_registry().names();
  std::erase(out, "megatron");
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, ConditionsOfStrategy, testing::ValuesIn(strategies()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// A job that only all-reduces asks neither links nor processors; servers are reached by copies.
TEST(ConditionsRead, AreThoseOfTheMechanism) {
  const JobResult reduced = run(test_job(2, 4), "ddp");
  EXPECT_TRUE(reduced.conditions_read.messages);
  EXPECT_FALSE(reduced.conditions_read.links);
  EXPECT_FALSE(reduced.conditions_read.processors);
  EXPECT_FALSE(reduced.conditions_read.contention) << "nothing of the device is shared";
  const JobResult served = run(test_job(1, 4), "kvstore-local");
  EXPECT_TRUE(served.conditions_read.links);
  EXPECT_TRUE(served.conditions_read.processors);
  EXPECT_FALSE(served.conditions_read.messages);
}

}  // namespace
}  // namespace paceline
