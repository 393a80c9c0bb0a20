// Laws that every simulation obeys, on random graphs. Monotonicity is not among them: with list
// scheduling, a faster task or one more resource can lengthen a contended schedule (Graham 1969).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "simulator/engine/engine.h"
#include "simulator/engine/load_recorder.h"
#include "simulator/engine/longest_path.h"
#include "simulator/engine/random_graph.h"
#include "traces/timeline/breakdown.h"
#include "traces/timeline/critical_path.h"

namespace paceline {
namespace {

constexpr unsigned kSeeds = 60;

SimTime last_end(const Schedule& schedule) {
  return *std::max_element(schedule.end.begin(), schedule.end.end());
}

TEST(Laws, NoTaskStartsBeforeItsPredecessorsEnd) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph random(seed, {});
    const Schedule result = schedule(random.build(), random.platform);
    for (std::size_t i = 0; i < random.tasks.size(); ++i) {
      for (const std::size_t before : random.after[i]) {
        EXPECT_GE(result.start[i], result.end[before]) << "seed " << seed;
      }
      EXPECT_LE(result.start[i], result.end[i]);
    }
    EXPECT_EQ(result.makespan, last_end(result));
  }
}

TEST(Laws, WithoutResourcesTheMakespanIsTheLongestPath) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph random(seed, {.queued = false, .fluid = false, .semaphores = false});
    const TaskGraph graph = random.build();
    EXPECT_EQ(schedule(graph, random.platform).makespan, longest_path(graph, random.platform));
  }
}

TEST(Laws, TheMakespanIsAtLeastTheLongestPath) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph random(seed, {});
    const TaskGraph graph = random.build();
    // A rate that changes may gain half a picosecond by rounding at each change.
    const SimTime slack = SimTime::from_picoseconds(std::int64_t(graph.size()));
    EXPECT_GE(schedule(graph, random.platform).makespan + slack,
              longest_path(graph, random.platform));
  }
}

TEST(Laws, NoResourceHoldsMoreTasksThanItHasPlaces) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph random(seed, {});
    const Schedule result = schedule(random.build(), random.platform);
    for (std::size_t r = 0; r < random.platform.resources().size(); ++r) {
      const Platform::Resource& resource = random.platform.resources()[r];
      if (resource.kind != Platform::Kind::kQueued) continue;
      std::vector<std::pair<SimTime, int>> changes;
      for (std::size_t i = 0; i < random.tasks.size(); ++i) {
        if (static_cast<std::size_t>(random.tasks[i].resource) != r) continue;
        changes.emplace_back(result.end[i], -1);
        changes.emplace_back(result.start[i], +1);
      }
      // At equal times what ends comes first; spans of no length would count below zero.
      std::sort(changes.begin(), changes.end());
      int held = 0;
      for (const auto& [time, change] : changes) {
        held += change;
        EXPECT_LE(held, resource.places) << "seed " << seed;
      }
    }
  }
}

TEST(Laws, ASerialResourceIsBusyForTheSumOfItsTasksAndIdleForTheRest) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph random(seed, {.fluid = false});
    const Timeline timeline = simulate(random.build(), random.platform);
    const std::vector<SimTime> busy = busy_by_track(timeline);
    for (std::size_t r : {std::size_t{0}, std::size_t{1}}) {
      SimTime load;
      for (const Task& task : random.tasks) {
        if (static_cast<std::size_t>(task.resource) == r) load += task.duration;
      }
      EXPECT_EQ(busy[r], load) << "seed " << seed;
      EXPECT_LE(load, timeline.makespan());
    }
    EXPECT_EQ(break_down(timeline).total(), timeline.makespan());
  }
}

TEST(Laws, CausesLeadBackToTheStartWithoutGaps) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph random(seed, {});
    const Timeline timeline = simulate(random.build(), random.platform);
    const CriticalPath path = critical_path(timeline);
    EXPECT_EQ(path.gaps, SimTime()) << "seed " << seed;
    EXPECT_EQ(path.length(), timeline.makespan()) << "seed " << seed;
  }
}

TEST(Laws, EveryByteCrossesEveryLinkOfItsRoute) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph random(seed, {});
    LoadRecorder recorder;
    Observer* const observers[] = {&recorder};
    schedule(random.build(), random.platform, observers);
    for (std::size_t r = 0; r < random.platform.resources().size(); ++r) {
      if (random.platform.resources()[r].kind != Platform::Kind::kShared) continue;
      double expected = 0;
      for (const Task& task : random.tasks) {
        if (task.route == kNoRoute) continue;
        for (const RouteUse& use : random.platform.route(task.route).uses) {
          if (static_cast<std::size_t>(use.resource) == r) expected += use.weight * task.bytes.si();
        }
      }
      // Half a picosecond of rounding per event at a few bytes per nanosecond.
      EXPECT_NEAR(recorder.total(ResourceId(r)), expected, 1e-6 * expected + 1e-2) << seed;
    }
  }
}

TEST(Laws, LinksNeverCarryMoreThanTheirCapacity) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph random(seed, {});
    LoadRecorder recorder;
    Observer* const observers[] = {&recorder};
    schedule(random.build(), random.platform, observers);
    for (const Counter& counter : recorder.counters()) {
      for (const Counter::Point& point : counter.points) EXPECT_LE(point.value, 5e9 * (1 + 1e-9));
      EXPECT_EQ(counter.points.back().value, 0) << "at the end nothing moves";
    }
  }
}

TEST(Laws, EqualInputsGiveEqualTimelinesInAnyThread) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const RandomGraph random(seed, {});
    const TaskGraph graph = random.build();
    const Timeline expected = simulate(graph, random.platform);
    std::vector<Timeline> results(4);
    std::vector<std::thread> threads;
    for (Timeline& result : results) {
      threads.emplace_back([&] { result = simulate(graph, random.platform); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Timeline& result : results) EXPECT_TRUE(result == expected) << "seed " << seed;
  }
}

TEST(Laws, ObserversDoNotChangeTheResult) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph random(seed, {});
    const TaskGraph graph = random.build();
    LoadRecorder recorder;
    Observer* const observers[] = {&recorder};
    EXPECT_TRUE(simulate(graph, random.platform, observers) == simulate(graph, random.platform));
  }
}

// A task's insertion order matters only where it breaks ties on a queued resource: without those,
// and with all rates recomputed in canonical order, any topological order gives the same times.
TEST(Laws, InsertionOrderOfIndependentTasksDoesNotMatterWithoutQueues) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph random(seed, {.queued = false, .semaphores = false});
    const Schedule expected = schedule(random.build(), random.platform);
    std::mt19937 shuffle(seed);
    std::vector<std::size_t> position(random.tasks.size());
    std::vector<std::size_t> order;
    std::vector<bool> placed(random.tasks.size());
    while (order.size() < random.tasks.size()) {
      std::vector<std::size_t> able;
      for (std::size_t i = 0; i < random.tasks.size(); ++i) {
        const auto& after = random.after[i];
        if (!placed[i] && std::all_of(after.begin(), after.end(),
                                      [&](std::size_t before) { return placed[before]; })) {
          able.push_back(i);
        }
      }
      const std::size_t next = able[shuffle() % able.size()];
      placed[next] = true;
      position[next] = order.size();
      order.push_back(next);
    }
    TaskGraphBuilder builder;
    for (const std::size_t i : order) {
      std::vector<TaskId> after;
      for (const std::size_t before : random.after[i]) after.push_back(TaskId(position[before]));
      builder.add(random.tasks[i], after);
    }
    const Schedule result = schedule(std::move(builder).build(), random.platform);
    for (std::size_t i = 0; i < random.tasks.size(); ++i) {
      // Sums of rates are rounded in another order: a picosecond may differ at each change.
      EXPECT_NEAR(double(result.end[position[i]].picoseconds()),
                  double(expected.end[i].picoseconds()), 50)
          << "seed " << seed << ", task " << i;
    }
  }
}

// Ring reduce-scatter and all-gather of s bytes over n ranks: 2 (n - 1) steps of s / n bytes, each
// alone on its link, take 2 (n - 1) (latency + s / (n rate)).
TEST(Laws, ARingAllReduceTakesItsClosedFormWhenUncontended) {
  for (const std::size_t n : {std::size_t{2}, std::size_t{5}, std::size_t{8}}) {
    Platform platform;
    std::vector<RouteId> routes;
    for (std::size_t r = 0; r < n; ++r) {
      const ResourceId link = platform.add_link("link", BytesPerSecond(25e9));
      routes.push_back(platform.add_route({"next", {{link}}, Seconds(2e-6)}));
    }
    const Bytes piece(10e6 / static_cast<double>(n));
    TaskGraphBuilder builder;
    std::vector<TaskId> last;
    for (std::size_t step = 0; step < 2 * (n - 1); ++step) {
      std::vector<TaskId> now;
      for (std::size_t r = 0; r < n; ++r) {
        std::vector<TaskId> after;
        if (step > 0) after = {last[r], last[(r + n - 1) % n]};
        now.push_back(builder.add(transfer_task(piece, routes[r]), after));
      }
      last = now;
    }
    const auto steps = static_cast<std::int64_t>(2 * (n - 1));
    const Seconds step = Seconds(2e-6) + piece / BytesPerSecond(25e9);
    const SimTime makespan = schedule(std::move(builder).build(), platform).makespan;
    EXPECT_NEAR(double(makespan.picoseconds()), double(steps) * step.si() * 1e12,
                0.5 * double(steps));
  }
}

}  // namespace
}  // namespace paceline
