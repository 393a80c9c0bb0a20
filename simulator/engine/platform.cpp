#include "simulator/engine/platform.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace paceline {

ResourceId Platform::add_pool(std::string name, int places) {
  PACELINE_ASSERT(places > 0, "a queued resource has at least one place");
  resources_.push_back({std::move(name), Kind::kQueued, places, 0, ""});
  return static_cast<ResourceId>(resources_.size() - 1);
}

ResourceId Platform::add_link(std::string name, BytesPerSecond capacity) {
  return add_shared(std::move(name), capacity.si(), "B/s");
}

ResourceId Platform::add_shared(std::string name, double capacity, std::string unit) {
  PACELINE_ASSERT(std::isfinite(capacity) && capacity > 0, "a capacity is positive and finite");
  resources_.push_back({std::move(name), Kind::kShared, 0, capacity, std::move(unit)});
  return static_cast<ResourceId>(resources_.size() - 1);
}

SemaphoreId Platform::add_semaphore(std::string name, int tokens) {
  PACELINE_ASSERT(tokens > 0, "a semaphore starts with at least one token");
  semaphores_.push_back({std::move(name), tokens});
  return static_cast<SemaphoreId>(semaphores_.size() - 1);
}

RouteId Platform::add_route(Route route) {
  std::vector<ResourceId> used;
  for (const RouteUse& use : route.uses) {
    used.push_back(use.resource);
    PACELINE_ASSERT(resource(use.resource).kind == Kind::kShared,
                    "a route uses shared resources; a queued one belongs to the task");
    PACELINE_ASSERT(std::isfinite(use.weight) && use.weight > 0, "a weight is positive and finite");
  }
  std::sort(used.begin(), used.end());
  PACELINE_ASSERT(std::adjacent_find(used.begin(), used.end()) == used.end(),
                  "a route names each resource once");
  PACELINE_ASSERT(std::isfinite(route.latency.si()) && route.latency.si() >= 0,
                  "a latency is finite and not negative");
  PACELINE_ASSERT(route.rate_cap.si() > 0, "a rate cap is positive");
  PACELINE_ASSERT(std::isfinite(route.share) && route.share > 0, "a share is positive and finite");
  PACELINE_ASSERT(!route.uses.empty() || std::isfinite(route.rate_cap.si()),
                  "a route that uses no resource has a rate cap");
  routes_.push_back(std::move(route));
  return static_cast<RouteId>(routes_.size() - 1);
}

Seconds Platform::uncontended_time(RouteId id, Bytes bytes) const {
  const Route& taken = route(id);
  double rate = taken.rate_cap.si();
  for (const RouteUse& use : taken.uses) {
    rate = std::min(rate, resource(use.resource).capacity / use.weight);
  }
  return taken.latency + bytes / BytesPerSecond(rate);
}

}  // namespace paceline
