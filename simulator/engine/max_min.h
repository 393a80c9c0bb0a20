// Weighted max-min fair sharing: how concurrent flows divide the capacities they use.
//
// All rates grow together, rate = share * level, until a resource is full or a flow reaches its
// cap; the flows concerned keep that rate and the others go on (progressive filling; Bertsekas and
// Gallager, Data Networks, 2nd ed., section 6.5.2). The result is the one allocation in which no
// flow's rate / share can grow without lowering that of a flow that is no better off.
// docs/models/max-min-sharing.md has the derivation.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace paceline {

// One system of resources and flows. Reused between solves so that nothing is allocated.
class MaxMinSolver {
 public:
  // Forgets all resources and flows.
  void clear();
  // Returns the resource's index.
  std::uint32_t add_resource(double capacity);
  // Starts a flow; the uses added next are its. `share` and `cap` are positive.
  void add_flow(double share = 1, double cap = std::numeric_limits<double>::infinity());
  // The latest flow takes `weight` (positive) of `resource` per unit of its rate.
  void add_use(std::uint32_t resource, double weight = 1);

  // Rates by flow, in order of addition; sum over flows of weight * rate <= capacity (up to
  // rounding), rate <= cap. Each flow must have a use or a finite cap.
  std::span<const double> solve();

 private:
  struct Resource {
    double capacity;
    double fixed = 0;              // taken by flows whose rate is known
    double slope = 0;              // growth of the use per unit of level, by the others
    double summed_slope = 0;       // the slope when it was last summed anew
    std::uint32_t growing = 0;     // number of those others
    std::uint32_t first_user = 0;  // into users_
    std::uint32_t last_user = 0;
  };
  struct Flow {
    double share;
    double cap;
    std::uint32_t first_use;
    std::uint32_t last_use;
    bool growing = true;
  };
  struct Use {
    std::uint32_t resource;
    double weight;
  };
  struct User {
    std::uint32_t flow;
    double weight;
  };

  bool solve_single();
  void index_users();
  void sort_caps();
  double next_level();
  void fix(std::uint32_t flow, double rate);
  void update_slopes();

  std::vector<Resource> resources_;
  std::vector<Flow> flows_;
  std::vector<Use> uses_;
  std::vector<User> users_;
  std::vector<std::uint32_t> by_cap_;  // growing flows with a finite cap, least cap / share first
  std::size_t next_cap_ = 0;
  std::vector<std::uint32_t> active_;   // resources with growing flows
  std::vector<std::uint32_t> touched_;  // resources whose users changed in this round
  std::vector<double> rates_;
};

}  // namespace paceline
