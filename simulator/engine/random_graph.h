// Random task graphs for tests of laws: a few queued and shared resources, every kind of work.
// Only for tests.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "simulator/engine/platform.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {

struct RandomGraphOptions {
  bool queued = true;
  bool fluid = true;
  bool semaphores = true;
  std::size_t tasks = 120;
};

// Everything a graph is made of, so that it can be built in any order of independent tasks.
struct RandomGraph {
  Platform platform;
  std::vector<Task> tasks;
  std::vector<std::vector<std::size_t>> after;             // by task: indices of earlier tasks
  std::vector<std::pair<std::size_t, SemaphoreId>> holds;  // taken at start, given back at end

  RandomGraph(unsigned seed, const RandomGraphOptions& options) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t limit) { return random() % limit; };
    std::vector<ResourceId> queued;
    std::vector<RouteId> routes;
    std::vector<SemaphoreId> semaphores;
    for (int places : {1, 1, 2}) queued.push_back(platform.add_pool("queue", places));
    std::vector<ResourceId> links;
    for (int i = 0; i < 4; ++i) {
      links.push_back(platform.add_link("link", BytesPerSecond(1e9 * (1 + double(below(5))))));
    }
    for (int i = 0; i < 6; ++i) {
      Route route;
      route.latency = Seconds(1e-6 * double(below(3)));
      for (const ResourceId link : links) {
        if (below(2) == 0) route.uses.push_back({link, 0.5 + 0.5 * double(below(3))});
      }
      if (route.uses.empty() || below(3) == 0) route.rate_cap = BytesPerSecond(7e8);
      routes.push_back(platform.add_route(route));
    }
    semaphores.push_back(platform.add_semaphore("slots", 2));
    for (std::size_t i = 0; i < options.tasks; ++i) {
      const SimTime duration =
          SimTime::from_picoseconds(std::int64_t(below(4) * 500'000 + below(3)));
      Task task = fixed_task(duration);
      if (options.fluid && below(2) == 0) {
        task = transfer_task(Bytes(double(below(4000))), routes[below(routes.size())]);
      }
      if (options.queued && below(3) != 0) task.resource = queued[below(queued.size())];
      task.priority = static_cast<std::int16_t>(below(3));
      task.label.layer = static_cast<std::int32_t>(i);
      tasks.push_back(task);
      after.emplace_back();
      for (std::size_t k = below(4); k > 0 && i > 0; --k) {
        after.back().push_back(i - 1 - below(std::min<std::size_t>(i, 20)));
      }
      if (options.semaphores && below(5) == 0) holds.emplace_back(i, semaphores[0]);
    }
  }

  TaskGraph build() const {
    TaskGraphBuilder builder;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      std::vector<TaskId> predecessors;
      for (const std::size_t before : after[i]) predecessors.push_back(TaskId(before));
      builder.add(tasks[i], predecessors);
    }
    for (const auto& [task, semaphore] : holds) {
      builder.acquire(TaskId(task), semaphore);
      builder.release(TaskId(task), semaphore);
    }
    return std::move(builder).build();
  }
};

}  // namespace paceline
