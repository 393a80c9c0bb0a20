// The transfers and stretchable tasks in progress: their rates by max-min sharing, and when each
// will be done if nothing changes. Rates change only when one starts or ends, and only within the
// connected component of routes and resources that it touches.
//
// Tasks on one route with one cap always have the same rate. They are one flow: it counts the
// service that each of its tasks has received, and a task is done when the count has grown by the
// task's work. A start or end then costs the number of routes in the component, not of tasks.
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
  // The task has no rate until reallocate().
  void start(TaskId task, RouteId route, double work, double cap, SimTime now);
  bool has_changed() const { return !changed_.empty() || !unconstrained_.empty(); }
  // Gives every task whose component changed its new rate.
  void reallocate(SimTime now);

  // When the next task is done; never() if none is in progress.
  SimTime next_time();
  // Removes the tasks done at next_time() and appends them, in order of id.
  void pop_done(std::vector<TaskId>& tasks);

  // Resources whose load the latest reallocate() may have changed, and the load, per second.
  std::span<const std::uint32_t> reallocated() const { return reallocated_; }
  double load(std::uint32_t resource) const { return users_[resource].load; }

  static constexpr SimTime never() { return SimTime::from_picoseconds(INT64_MAX); }

 private:
  struct Member {
    double target;  // service at which it is done
    TaskId task;
    bool operator>(const Member& other) const {
      return target != other.target ? target > other.target : task > other.task;
    }
  };
  struct Flow {
    RouteId route{};
    double cap = 0;
    double rate = 0;    // of each member, since `updated`
    double served = 0;  // to each member, at `updated`, since the flow began
    SimTime updated;
    SimTime done;                 // of the first member
    std::vector<Member> members;  // a heap, the first to be done in front
    std::uint32_t next = kNone;   // another flow on the same route, with another cap
    std::uint32_t visit = 0;
    std::uint32_t version = 0;  // of `done`
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
    std::uint32_t version;
    bool operator>(const Done& other) const { return time > other.time; }
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t flow_on(RouteId route, double cap, SimTime now);
  void remove(std::uint32_t flow);
  void mark_changed(const Route& route);
  bool reallocate_alone(std::uint32_t resource, SimTime now);
  void collect_component(std::uint32_t resource);
  void solve_component(SimTime now);
  void set_rate(std::uint32_t flow, double rate, SimTime now);
  void predict(Flow& flow);
  SimTime done_time(const Flow& flow) const;
  void announce_first_done();
  void announce(std::uint32_t flow);
  void pop_members(std::uint32_t flow, std::vector<TaskId>& tasks);

  const Platform& platform_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> of_route_;       // first flow of each route
  std::vector<Users> users_;                  // by resource
  std::vector<std::uint32_t> changed_;        // resources
  std::vector<std::uint32_t> unconstrained_;  // flows with new members that use no resource
  std::vector<std::uint32_t> component_flows_;
  std::vector<std::uint32_t> component_resources_;
  std::vector<std::uint32_t> reallocated_;
  std::uint32_t visit_ = 0;
  std::priority_queue<Done, std::vector<Done>, std::greater<>> done_;
  MaxMinSolver solver_;
};

}  // namespace paceline
