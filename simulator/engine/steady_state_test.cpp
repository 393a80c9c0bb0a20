// Many iterations of one graph: the simulated rate against an independent oracle.
#include "traces/timeline/steady_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "simulator/engine/engine.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {
namespace {

struct PeriodicGraph {
  struct Edge {
    std::size_t from;
    std::size_t to;
    int iterations;  // 0: within an iteration, 1: to the next
  };
  std::vector<std::int64_t> durations;
  std::vector<Edge> edges;

  explicit PeriodicGraph(unsigned seed) {
    std::mt19937 random(seed);
    const std::size_t tasks = 3 + random() % 5;
    for (std::size_t i = 0; i < tasks; ++i) {
      durations.push_back(static_cast<std::int64_t>(1 + random() % 1000));
      for (std::size_t before = 0; before < i; ++before) {
        if (random() % 3 == 0) edges.push_back({before, i, 0});
      }
    }
    for (std::size_t i = 0; i < tasks; ++i) {
      edges.push_back({i, i, 1});  // a task is not run twice at once
      edges.push_back({random() % tasks, random() % tasks, 1});
    }
    // All tasks advance together, as a step advances a whole job.
    for (std::size_t i = 0; i < tasks; ++i) edges.push_back({i, (i + 1) % tasks, 1});
  }

  // Largest ratio of duration to iterations over the circles of the graph: the value at which
  // weights duration - ratio x iterations stop having a positive circle, by bisection.
  double maximum_cycle_mean() const {
    double low = 0;
    double high = 1000.0 * static_cast<double>(durations.size());
    while (high - low > 1e-7) {
      const double ratio = 0.5 * (low + high);
      (has_positive_circle(ratio) ? low : high) = ratio;
    }
    return high;
  }

  Timeline run(std::int16_t iterations) const {
    TaskGraphBuilder builder;
    const std::size_t count = durations.size();
    for (std::int16_t it = 0; it < iterations; ++it) {
      for (std::size_t i = 0; i < count; ++i) {
        std::vector<TaskId> after;
        for (const Edge& edge : edges) {
          const std::int64_t iteration = it - edge.iterations;
          if (edge.to != i || iteration < 0) continue;
          after.push_back(TaskId(static_cast<std::size_t>(iteration) * count + edge.from));
        }
        Label label;
        label.iteration = it;
        builder.add(fixed_task(SimTime::from_picoseconds(durations[i]), kNoResource, label), after);
      }
    }
    return simulate(std::move(builder).build(), Platform());
  }

 private:
  // Longest walks by Bellman and Ford; still improving after as many rounds as tasks: a circle.
  bool has_positive_circle(double ratio) const {
    std::vector<double> longest(durations.size(), 0);
    for (std::size_t round = 0; round <= durations.size(); ++round) {
      bool is_improved = false;
      for (const Edge& edge : edges) {
        const double reached = longest[edge.from] + static_cast<double>(durations[edge.from]) -
                               ratio * edge.iterations;
        if (reached <= longest[edge.to] + 1e-9) continue;
        longest[edge.to] = reached;
        is_improved = true;
      }
      if (!is_improved) return false;
    }
    return true;
  }
};

// A graph repeated without contention settles to its maximum cycle mean (Baccelli, Cohen, Olsder
// and Quadrat, Synchronization and Linearity, 1992, chapter 3).
TEST(SteadyState, OfARepeatedGraphIsItsMaximumCycleMean) {
  int settled = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const PeriodicGraph graph(seed);
    const SteadyState steady = find_steady_state(iteration_ends(graph.run(120)), 1e-9);
    if (!steady.found) continue;
    ++settled;
    EXPECT_NEAR(steady.period.si() * 1e12, graph.maximum_cycle_mean(), 1e-3) << "seed " << seed;
  }
  EXPECT_GT(settled, 30) << "circles through four or more iterations are rare";
}

// Two prefetched batches hide the loader's first delays; afterwards the slower of loader and
// device decides.
TEST(SteadyState, OfAPrefetchingJobIsThatOfItsSlowestPart) {
  for (const auto& [load, compute] : {std::pair{7, 10}, {10, 7}}) {
    Platform platform;
    const ResourceId loader = platform.add_serial("loader");
    const ResourceId device = platform.add_serial("device");
    const SemaphoreId slots = platform.add_semaphore("slots", 2);
    TaskGraphBuilder builder;
    for (std::int16_t it = 0; it < 12; ++it) {
      Label label;
      label.iteration = it;
      const auto ps = [](int value) { return SimTime::from_picoseconds(value * 1000); };
      const TaskId batch = builder.add(fixed_task(ps(load), loader, label));
      const TaskId step = builder.add(fixed_task(ps(compute), device, label), {batch});
      builder.acquire(batch, slots);
      builder.release(step, slots);
    }
    const Timeline timeline = simulate(std::move(builder).build(), platform);
    const SteadyState steady = find_steady_state(iteration_ends(timeline));
    EXPECT_TRUE(steady.found);
    EXPECT_NEAR(steady.period.si() * 1e9, std::max(load, compute), 1e-9);
  }
}

}  // namespace
}  // namespace paceline
