// The transfers and stretchable tasks in progress: their rates by max-min sharing, and when each
// will be done if nothing changes. Rates change only when a flow starts or ends, and only within
// the connected component of flows and resources that it touches.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "core/sim_time.h"
#include "simulator/engine/max_min.h"
#include "simulator/engine/platform.h"

namespace paceline {

class Fluid {
 public:
  explicit Fluid(const Platform& platform);

  // `work` (positive) is bytes, or seconds of a stretchable task; `cap` bounds progress per second.
  // The flow has no rate until reallocate().
  void start(TaskId task, RouteId route, double work, double cap, SimTime now);
  bool has_changed() const { return !changed_.empty() || !unconstrained_.empty(); }
  // Gives every flow whose component changed its new rate.
  void reallocate(SimTime now);

  // When the next flow is done; never() if none is in progress.
  SimTime next_time();
  // Removes the flows done at next_time() and appends their tasks, in order of task id.
  void pop_done(std::vector<TaskId>& tasks);

  // Resources whose load the latest reallocate() may have changed, and the load, per second.
  std::span<const std::uint32_t> reallocated() const { return reallocated_; }
  double load(std::uint32_t resource) const { return users_[resource].load; }

  static constexpr SimTime never() { return SimTime::from_picoseconds(INT64_MAX); }

 private:
  struct Flow {
    TaskId task{};
    RouteId route{};
    double cap = 0;
    double remaining = 0;  // at `updated`
    double rate = 0;       // since `updated`
    SimTime updated;
    SimTime done;
    std::uint32_t visit = 0;
    bool active = false;
    bool is_announced = false;  // `done` is on the agenda
  };
  struct Users {
    std::vector<std::uint32_t> flows;
    double load = 0;
    std::uint32_t visit = 0;
    std::uint32_t index = 0;  // in the solver
    bool changed = false;
  };
  struct Done {
    SimTime time;
    std::uint32_t flow;
    TaskId task;
    bool operator>(const Done& other) const {
      return time != other.time ? time > other.time : task > other.task;
    }
  };

  void mark_changed(const Route& route);
  bool reallocate_alone(std::uint32_t resource, SimTime now);
  void collect_component(std::uint32_t resource);
  void solve_component(SimTime now);
  void set_rate(std::uint32_t flow, double rate, SimTime now);
  void announce_first_done();
  void announce(std::uint32_t flow);
  bool is_stale(const Done& done) const;

  const Platform& platform_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<Users> users_;                  // by resource
  std::vector<std::uint32_t> changed_;        // resources
  std::vector<std::uint32_t> unconstrained_;  // new flows that use no resource
  std::vector<std::uint32_t> component_flows_;
  std::vector<std::uint32_t> component_resources_;
  std::vector<std::uint32_t> reallocated_;
  std::uint32_t visit_ = 0;
  std::priority_queue<Done, std::vector<Done>, std::greater<>> done_;
  MaxMinSolver solver_;
};

}  // namespace paceline
