// Reads the steady iteration out of a simulated job.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "simulator/engine/engine.h"
#include "simulator/engine/observer.h"
#include "simulator/job/job_builder.h"
#include "simulator/job/simulate_job.h"

namespace paceline {

// Integral of the load of shared resources over the steady iteration, in shares of their capacity.
class LoadShares : public Observer {
 public:
  void on_begin(const TaskGraph&, const Platform& platform) override {
    loads_.assign(platform.resources().size(), {});
  }
  void on_load(ResourceId resource, SimTime now, double used) override {
    loads_[static_cast<std::size_t>(resource)].push_back({now, used});
  }
  double share(const Platform& platform, ResourceId id, SimTime from, SimTime to) const {
    double total = 0;
    const auto& points = loads_[static_cast<std::size_t>(id)];
    for (std::size_t i = 0; i < points.size(); ++i) {
      const SimTime start = std::max(points[i].first, from);
      const SimTime end = std::min(i + 1 < points.size() ? points[i + 1].first : to, to);
      if (end > start) total += points[i].second * (end - start).seconds().si();
    }
    return total / (platform.resource(id).capacity * (to - from).seconds().si());
  }

 private:
  std::vector<std::vector<std::pair<SimTime, double>>> loads_;
};

// The last cycle of iterations but one, since the end of the very last cuts nothing off: from one
// end of a backward pass of rank 0 to another.
struct SteadyPart {
  SteadyPart(const Schedule& schedule, const std::vector<TaskId>& ends, int iterations)
      : cycle(iterations),
        last(ends.size() - 2),
        from(schedule.end[static_cast<std::size_t>(ends[last - static_cast<std::size_t>(cycle)])]),
        to(schedule.end[static_cast<std::size_t>(ends[last])]) {}
  Seconds iteration_time() const { return (to - from).seconds() / cycle; }

  int cycle;         // iterations
  std::size_t last;  // of them
  SimTime from, to;
};

// A simulation of some iterations.
struct SimulatedJob {
  const JobBuilder& builder;
  const TaskGraph& graph;
  const Platform& platform;
  const Schedule& schedule;
  const LoadShares& loads;
  const std::vector<TaskId>& ends;  // of the backward pass of rank 0, by iteration
  ResourceId compute;               // rank 0's
  int cycle = 1;                    // iterations after which what happens repeats
};

// The mean over the last cycle but one end of a backward pass.
JobResult read_job(const SimulatedJob& job);

}  // namespace paceline
