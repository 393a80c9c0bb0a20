#include "simulator/engine/fluid.h"

#include <algorithm>
#include <cmath>

namespace paceline {

Fluid::Fluid(const Platform& platform)
    : platform_(platform),
      of_route_(platform.routes().size(), kNone),
      users_(platform.resources().size()) {}

void Fluid::mark_changed(const Route& route) {
  for (const RouteUse& use : route.uses) {
    const auto r = static_cast<std::uint32_t>(use.resource);
    if (users_[r].changed) continue;
    users_[r].changed = true;
    changed_.push_back(r);
  }
}

// The flow of a route's tasks with that cap; a new one if nothing is in progress.
std::uint32_t Fluid::flow_on(RouteId route, double cap, SimTime now) {
  std::uint32_t& first = of_route_[static_cast<std::size_t>(route)];
  for (std::uint32_t known = first; known != kNone; known = flows_[known].next) {
    if (flows_[known].cap == cap) return known;
  }
  std::uint32_t slot = static_cast<std::uint32_t>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[slot];
  flow.route = route;
  flow.cap = cap;
  flow.rate = flow.served = 0;
  flow.updated = now;
  flow.next = first;
  first = slot;
  for (const RouteUse& use : platform_.route(route).uses) {
    users_[static_cast<std::size_t>(use.resource)].flows.push_back(slot);
  }
  return slot;
}

void Fluid::remove(std::uint32_t slot) {
  Flow& flow = flows_[slot];
  for (const RouteUse& use : platform_.route(flow.route).uses) {
    std::erase(users_[static_cast<std::size_t>(use.resource)].flows, slot);
  }
  std::uint32_t* link = &of_route_[static_cast<std::size_t>(flow.route)];
  while (*link != slot) link = &flows_[*link].next;
  *link = flow.next;
  free_.push_back(slot);
}

void Fluid::start(TaskId task, RouteId route_id, double work, double cap, SimTime now) {
  const std::uint32_t slot = flow_on(route_id, cap, now);
  Flow& flow = flows_[slot];
  const double served = flow.served + flow.rate * (now - flow.updated).seconds().si();
  flow.members.push_back({served + work, task});
  std::push_heap(flow.members.begin(), flow.members.end(), std::greater<>());
  if (flow.members.front().task == task) predict(flow);
  const Route& route = platform_.route(route_id);
  if (route.uses.empty()) unconstrained_.push_back(slot);
  mark_changed(route);
}

void Fluid::reallocate(SimTime now) {
  reallocated_.clear();
  for (const std::uint32_t flow : unconstrained_) {
    set_rate(flow, flows_[flow].cap, now);
    announce(flow);
  }
  unconstrained_.clear();
  visit_ += 1;
  for (const std::uint32_t resource : changed_) {
    users_[resource].changed = false;
    if (users_[resource].visit == visit_ || reallocate_alone(resource, now)) continue;
    collect_component(resource);
    solve_component(now);
    reallocated_.insert(reallocated_.end(), component_resources_.begin(),
                        component_resources_.end());
  }
  changed_.clear();
}

// The common cases: nobody uses the resource any more, or one flow that meets no other anywhere.
bool Fluid::reallocate_alone(std::uint32_t resource, SimTime now) {
  const std::vector<std::uint32_t>& flows = users_[resource].flows;
  if (flows.empty()) {
    users_[resource].load = 0;
    reallocated_.push_back(resource);
    return true;
  }
  if (flows.size() > 1) return false;
  const std::uint32_t slot = flows.front();
  const std::span<const RouteUse> uses = platform_.route(flows_[slot].route).uses;
  const auto members = static_cast<double>(flows_[slot].members.size());
  double rate = flows_[slot].cap;
  for (const RouteUse& use : uses) {
    if (users_[static_cast<std::size_t>(use.resource)].flows.size() > 1) return false;
    rate = std::min(rate, platform_.resource(use.resource).capacity / (use.weight * members));
  }
  for (const RouteUse& use : uses) {
    Users& users = users_[static_cast<std::size_t>(use.resource)];
    users.visit = visit_;
    users.load = use.weight * rate * members;
    reallocated_.push_back(static_cast<std::uint32_t>(use.resource));
  }
  set_rate(slot, rate, now);
  announce(slot);
  return true;
}

void Fluid::collect_component(std::uint32_t resource) {
  component_flows_.clear();
  component_resources_.assign(1, resource);
  users_[resource].visit = visit_;
  for (std::size_t i = 0; i < component_resources_.size(); ++i) {
    for (const std::uint32_t slot : users_[component_resources_[i]].flows) {
      Flow& flow = flows_[slot];
      if (flow.visit == visit_) continue;
      flow.visit = visit_;
      component_flows_.push_back(slot);
      for (const RouteUse& use : platform_.route(flow.route).uses) {
        Users& other = users_[static_cast<std::size_t>(use.resource)];
        if (other.visit == visit_) continue;
        other.visit = visit_;
        component_resources_.push_back(static_cast<std::uint32_t>(use.resource));
      }
    }
  }
  // A canonical order, so that sums do not depend on the history.
  std::sort(component_resources_.begin(), component_resources_.end());
  const auto before = [this](std::uint32_t a, std::uint32_t b) {
    const Flow& x = flows_[a];
    const Flow& y = flows_[b];
    return x.route != y.route ? x.route < y.route : x.cap < y.cap;
  };
  if (!std::is_sorted(component_flows_.begin(), component_flows_.end(), before)) {
    std::sort(component_flows_.begin(), component_flows_.end(), before);
  }
}

void Fluid::solve_component(SimTime now) {
  solver_.clear();
  for (const std::uint32_t r : component_resources_) {
    users_[r].load = 0;
    users_[r].index = solver_.add_resource(platform_.resources()[r].capacity);
  }
  for (const std::uint32_t slot : component_flows_) {
    const Flow& flow = flows_[slot];
    const Route& route = platform_.route(flow.route);
    const auto members = static_cast<double>(flow.members.size());
    solver_.add_flow(route.share * members, flow.cap * members);
    for (const RouteUse& use : route.uses) {
      solver_.add_use(users_[static_cast<std::size_t>(use.resource)].index, use.weight);
    }
  }
  const std::span<const double> rates = solver_.solve();
  for (std::size_t i = 0; i < component_flows_.size(); ++i) {
    const std::uint32_t slot = component_flows_[i];
    set_rate(slot, rates[i] / static_cast<double>(flows_[slot].members.size()), now);
    for (const RouteUse& use : platform_.route(flows_[slot].route).uses) {
      users_[static_cast<std::size_t>(use.resource)].load += use.weight * rates[i];
    }
  }
  announce_first_done();
}

// Whatever happens first in a component recomputes all of it, so only its first flows to be done
// need a place on the agenda.
void Fluid::announce_first_done() {
  SimTime first = never();
  for (const std::uint32_t slot : component_flows_) first = std::min(first, flows_[slot].done);
  for (const std::uint32_t slot : component_flows_) {
    if (flows_[slot].done == first) announce(slot);
  }
}

void Fluid::announce(std::uint32_t slot) {
  Flow& flow = flows_[slot];
  if (flow.is_announced) return;
  flow.is_announced = true;
  done_.push({flow.done, slot, flow.version});
}

void Fluid::set_rate(std::uint32_t slot, double rate, SimTime now) {
  Flow& flow = flows_[slot];
  // An unchanged rate keeps the prediction exact: no rounding piles up over unrelated events.
  if (rate == flow.rate) return;
  flow.served += flow.rate * (now - flow.updated).seconds().si();
  flow.updated = now;
  flow.rate = rate;
  predict(flow);
}

// Anew when the rate or the first member has changed.
void Fluid::predict(Flow& flow) {
  flow.done = done_time(flow);
  flow.version += 1;
  flow.is_announced = false;
}

SimTime Fluid::done_time(const Flow& flow) const {
  if (flow.rate == 0) return never();
  const double remaining = std::max(0.0, flow.members.front().target - flow.served);
  return flow.updated + SimTime::from(Seconds(remaining / flow.rate));
}

SimTime Fluid::next_time() {
  while (!done_.empty() && done_.top().version != flows_[done_.top().flow].version) done_.pop();
  return done_.empty() ? never() : done_.top().time;
}

// All members that are done at the instant of the first.
void Fluid::pop_members(std::uint32_t slot, std::vector<TaskId>& tasks) {
  Flow& flow = flows_[slot];
  const SimTime now = flow.done;
  do {
    std::pop_heap(flow.members.begin(), flow.members.end(), std::greater<>());
    tasks.push_back(flow.members.back().task);
    flow.members.pop_back();
  } while (!flow.members.empty() && done_time(flow) == now);
  flow.version += 1;
  flow.is_announced = false;
  if (!flow.members.empty()) predict(flow);
}

void Fluid::pop_done(std::vector<TaskId>& tasks) {
  const SimTime now = next_time();
  while (next_time() == now && !done_.empty()) {
    const std::uint32_t slot = done_.top().flow;
    done_.pop();
    pop_members(slot, tasks);
    const Route& route = platform_.route(flows_[slot].route);
    mark_changed(route);
    if (flows_[slot].members.empty()) {
      remove(slot);
    } else if (route.uses.empty()) {
      unconstrained_.push_back(slot);
    }
  }
  std::sort(tasks.begin(), tasks.end());
}

}  // namespace paceline
