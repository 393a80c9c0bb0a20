// Laws that every registered strategy obeys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "simulator/strategies/testing/test_job.h"

namespace paceline {
namespace {

// Shapes of jobs: one machine, several with one device, several with several.
struct Shape {
  int machines, per_machine;
};
constexpr Shape kShapes[] = {{1, 4}, {4, 1}, {2, 4}};

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const std::string& name : strategy_registry().names()) {
    if (name != "megatron") out.push_back(name);
  }
  return out;
}

// The result, or nothing where the strategy refuses this shape of job.
std::optional<JobResult> result_of(const TestJob& job, const std::string& strategy,
                                   const std::map<std::string, std::string>& set = {}) {
  try {
    return run(job, strategy, set);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

class EveryStrategy : public testing::TestWithParam<std::string> {};

// With one device there is nobody to talk to: computing is all there is.
TEST_P(EveryStrategy, OneDeviceDoesNotCommunicate) {
  const TestJob job = test_job(1, 1);
  const std::optional<JobResult> result = result_of(job, GetParam());
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->communication.bytes_per_device, 0);
  EXPECT_EQ(result->breakdown.exposed_communication, Seconds());
}

// The bytes that the busiest device sends are those that the algorithm states.
TEST_P(EveryStrategy, SendsEveryGradientAsOftenAsTheAlgorithmSays) {
  bool ran = false;
  const auto strategy = strategy_registry().make(GetParam());
  for (const Shape shape : kShapes) {
    const TestJob job = test_job(shape.machines, shape.per_machine);
    const std::optional<JobResult> result = result_of(job, GetParam());
    if (!result) continue;
    ran = true;
    const StrategyOptions options(GetParam(), all_options(*strategy), {});
    const double stated = strategy->bytes_sent(job.spec, options).si();
    EXPECT_NEAR(static_cast<double>(result->communication.bytes_per_device), stated,
                2 + 1e-9 * stated)
        << shape.machines << " x " << shape.per_machine;
  }
  EXPECT_TRUE(ran);
}

// A device that computes cannot be quicker for talking to others.
TEST_P(EveryStrategy, IsNeverFasterThanADeviceByItself) {
  for (const Shape shape : kShapes) {
    const TestJob job = test_job(shape.machines, shape.per_machine);
    const std::optional<JobResult> result = result_of(job, GetParam());
    if (!result || GetParam().starts_with("zero") || GetParam() == "fsdp") continue;
    // An update that a server or another device does is not the device's.
    const Seconds least = job.spec.profile.iteration_time() - job.spec.profile.update;
    EXPECT_GE(result->iteration_time.si(), least.si() * (1 - 1e-9));
  }
}

TEST_P(EveryStrategy, IsNeverSlowerWithMoreBandwidth) {
  for (const Shape shape : kShapes) {
    double last = std::numeric_limits<double>::infinity();
    for (const char* net : {"1 Gb/s@30us", "10 Gb/s@30us", "25 Gb/s@30us", "100 Gb/s@30us"}) {
      const TestJob job = test_job(shape.machines, shape.per_machine, net, "4 GB/s@1us");
      const std::optional<JobResult> result = result_of(job, GetParam());
      if (!result) break;
      EXPECT_LE(result->iteration_time.si(), last * (1 + 1e-9)) << net;
      last = result->iteration_time.si();
    }
  }
}

TEST_P(EveryStrategy, BreakdownAddsUpToTheIteration) {
  for (const Shape shape : kShapes) {
    const std::optional<JobResult> result =
        result_of(test_job(shape.machines, shape.per_machine), GetParam());
    if (!result) continue;
    EXPECT_NEAR(result->breakdown.total().si(), result->iteration_time.si(),
                1e-9 * result->iteration_time.si());
  }
}

TEST_P(EveryStrategy, RepeatsItselfExactly) {
  const TestJob job = test_job(GetParam() == "distributed-replicated" ? 2 : 1, 2);
  const std::optional<JobResult> first = result_of(job, GetParam());
  const std::optional<JobResult> again = result_of(job, GetParam());
  if (!first) GTEST_SKIP() << "refuses the job";
  EXPECT_EQ(first->iteration_time, again->iteration_time);
}

// What a result shows of an option: time, bytes, or memory on the device.
std::string visible(const TestJob& job, const std::string& name,
                    const std::map<std::string, std::string>& set, const JobResult& result) {
  const auto strategy = strategy_registry().make(name);
  const StrategyOptions options(name, all_options(*strategy), set);
  return std::to_string(result.iteration_time.si() * 1e12) + " " +
         std::to_string(result.communication.bytes_per_device) + " " +
         std::to_string(strategy->buffers(job.spec, options).si()) + " " +
         std::to_string(strategy->shares(job.spec, options).weights);
}

// The option with what it needs beside it.
std::map<std::string, std::string> setting_of(const StrategyOption& option) {
  std::map<std::string, std::string> set{{option.name, option.example}};
  if (!option.only_with.empty()) set[option.only_with] = option.only_values.front();
  for (const auto& [name, value] : option.example_with) set[name] = value;
  return set;
}

TEST_P(EveryStrategy, EveryOptionChangesTheResultOfSomeJob) {
  const auto strategy = strategy_registry().make(GetParam());
  for (const StrategyOption& option : all_options(*strategy)) {
    bool changed = false;
    for (const Shape shape : kShapes) {
      TestJob job = test_job(shape.machines, shape.per_machine);
      job.spec.profile.micro_batches = 2;
      std::map<std::string, std::string> with = setting_of(option);
      std::map<std::string, std::string> without = with;
      without.erase(option.name);
      const std::optional<JobResult> a = result_of(job, GetParam(), with);
      const std::optional<JobResult> b = result_of(job, GetParam(), without);
      if (!a || !b) continue;
      changed |= visible(job, GetParam(), with, *a) != visible(job, GetParam(), without, *b);
    }
    EXPECT_TRUE(changed) << option.name << "=" << option.example;
  }
}

TEST_P(EveryStrategy, RefusesOptionsItDoesNotUnderstand) {
  const auto strategy = strategy_registry().make(GetParam());
  for (const StrategyOption& option : all_options(*strategy)) {
    const std::map<std::string, std::string> set{{option.name, "no-such-value"}};
    EXPECT_THROW(StrategyOptions(GetParam(), all_options(*strategy), set), UsageError)
        << option.name;
    EXPECT_NE(option.example, option.fallback) << option.name;
  }
}

// A measured synchronization replaces the mechanism: compute + synchronization, exactly. ZeRO-2
// pays its gather of weights, half of it, once however many micro-batches scatter gradients.
TEST_P(EveryStrategy, AddsAMeasuredSynchronizationAfterEachMicroBatchThatHasOne) {
  if (!strategy_registry().make(GetParam())->synchronizes_gradients()) {
    GTEST_SKIP() << "aggregates no gradients";
  }
  TestJob job = test_job(2, 4);
  job.spec.profile.update = job.spec.profile.begin = Seconds();
  job.spec.profile.micro_batches = 4;
  const double once = job.spec.profile.forward_time().si() + job.spec.profile.backward_time().si();
  for (const bool every : {false, true}) {
    const std::optional<JobResult> result =
        result_of(job, GetParam(), {{"sync_time", "200 ms"}, {"sync", every ? "every" : "last"}});
    if (!result) continue;
    const double all = GetParam() == "zero-2" ? 4 * 0.5 + 0.5 : 4;
    EXPECT_NEAR(result->iteration_time.si(), 4 * once + (every ? all : 1) * 0.2, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryStrategy, testing::ValuesIn(names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Megatron, IsRefusedByName) { EXPECT_THROW(run(test_job(1, 2), "megatron"), UsageError); }

}  // namespace
}  // namespace paceline
