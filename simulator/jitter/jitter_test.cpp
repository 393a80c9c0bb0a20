#include "simulator/jitter/jitter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/error.h"
#include "simulator/engine/engine.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {
namespace {

constexpr int kDraws = 400;

// n ranks compute 1 ms each and then meet.
TaskGraph synchronous_step(int ranks) {
  TaskGraphBuilder builder;
  std::vector<TaskId> all;
  for (int rank = 0; rank < ranks; ++rank) {
    Label label;
    label.rank = rank;
    label.kind = TaskKind::kHost;
    all.push_back(builder.add(fixed_task(SimTime::from(Seconds(1e-3)), kNoResource, label)));
  }
  builder.join(all);
  return std::move(builder).build();
}

double mean_seconds(const std::vector<SimTime>& times) {
  double sum = 0;
  for (const SimTime time : times) sum += time.seconds().si();
  return sum / static_cast<double>(times.size());
}

// Exact values: 1/sqrt(pi) for two, 3/(2 sqrt(pi)) for three; 10 and 100 from Harter 1961.
TEST(MeanOfMaximumNormal, MatchesTheKnownValues) {
  EXPECT_NEAR(mean_of_maximum_normal(1), 0, 1e-9);
  EXPECT_NEAR(mean_of_maximum_normal(2), 1 / std::sqrt(M_PI), 1e-9);
  EXPECT_NEAR(mean_of_maximum_normal(3), 1.5 / std::sqrt(M_PI), 1e-9);
  EXPECT_NEAR(mean_of_maximum_normal(10), 1.53875, 1e-5);
  EXPECT_NEAR(mean_of_maximum_normal(100), 2.50759, 1e-5);
}

TEST(MeanOfMaximumNormal, GrowsMoreSlowlyThanItsAsymptote) {
  for (const std::int64_t n : {1000, 100'000, 1'000'000}) {
    const double asymptote = std::sqrt(2 * std::log(double(n)));
    EXPECT_LT(mean_of_maximum_normal(n), asymptote);
    EXPECT_GT(mean_of_maximum_normal(n), 0.85 * asymptote);
  }
}

TEST(StragglerFactor, IsOneForOneRankOrWithoutJitter) {
  EXPECT_NEAR(straggler_factor(1, 0.3), 1, 1e-9);
  EXPECT_NEAR(straggler_factor(1000, 0), 1, 1e-9);
}

// Drawn and closed form are two roads to the same mean; the drawn mean of 400 scatters by about
// cv / sqrt(400).
TEST(Jitter, DrawnMaximumAgreesWithTheClosedForm) {
  for (const int ranks : {1, 8, 64}) {
    const auto drawn =
        jittered_makespans(synchronous_step(ranks), Platform(), {.task_cv = 0.05}, 7, kDraws);
    EXPECT_NEAR(mean_seconds(drawn) / 1e-3, straggler_factor(ranks, 0.05), 0.01) << ranks;
  }
}

TEST(Jitter, WithoutItEveryDrawIsTheSameAndExact) {
  for (const SimTime drawn : jittered_makespans(synchronous_step(4), Platform(), {}, 1, 5)) {
    EXPECT_EQ(drawn, SimTime::from(Seconds(1e-3)));
  }
}

TEST(Jitter, DependsOnTheSeedButNotOnTheNumberOfThreads) {
  const TaskGraph graph = synchronous_step(16);
  const Jitter jitter{.task_cv = 0.1, .device_cv = 0.05};
  const auto one = jittered_makespans(graph, Platform(), jitter, 3, 50, 1);
  EXPECT_EQ(one, jittered_makespans(graph, Platform(), jitter, 3, 50, 4));
  EXPECT_NE(one, jittered_makespans(graph, Platform(), jitter, 4, 50, 1));
}

// A device's factor is one number for all its tasks: two tasks in a row vary as much as one.
TEST(Jitter, ADeviceStaysSlowOrFastForTheWholeRun) {
  TaskGraphBuilder builder;
  Label label;
  label.rank = 5;
  const Task task = fixed_task(SimTime::from(Seconds(1e-3)), kNoResource, label);
  builder.add(task, {builder.add(task)});
  const TaskGraph drawn = with_jitter(std::move(builder).build(), {.device_cv = 0.2}, 11);
  EXPECT_EQ(drawn.task(TaskId{0}).duration, drawn.task(TaskId{1}).duration);
  EXPECT_NE(drawn.task(TaskId{0}).duration, SimTime::from(Seconds(1e-3)));
}

// One task in five pauses for nine times its length more: on average 1 + 0.2 x 9.
TEST(Jitter, RarePausesLengthenHostTasks) {
  const auto drawn = jittered_makespans(synchronous_step(1), Platform(),
                                        {.spike_probability = 0.2, .spike_factor = 10}, 5, 2000);
  EXPECT_NEAR(mean_seconds(drawn) / 1e-3, 2.8, 0.25);
}

TEST(Jitter, RefusesWhatIsNoDistribution) {
  const TaskGraph graph = synchronous_step(1);
  EXPECT_THROW(with_jitter(graph, {.task_cv = -1}, 1), Error);
  EXPECT_THROW(with_jitter(graph, {.spike_probability = 2}, 1), Error);
  EXPECT_THROW(with_jitter(graph, {.spike_factor = 0.5}, 1), Error);
  EXPECT_THROW(straggler_factor(0, 0.1), Error);
}

}  // namespace
}  // namespace paceline
