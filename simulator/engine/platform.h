// Platform: the resources that tasks of a simulation take and share. Made once from a cluster, then
// only read, so one platform serves simulations in several threads.
//
// Three kinds of resource:
//   queued     a serial resource or a pool: each task holds one of its places from start to end
//              (stream, host thread, copy engine, one direction of a link used by one at a time);
//   shared     a capacity per second that concurrent tasks divide by weighted max-min fairness
//              (link, memory bandwidth, multiprocessors); docs/models/max-min-sharing.md;
//   semaphore  tokens that tasks take and give back (prefetch slots, messages in flight).
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/units.h"
#include "simulator/task/task.h"

namespace paceline {

// What a unit of a task's progress takes from a shared resource: bytes crossing a link per byte of
// message (1 for a plain message; the number of symmetric flows that one flow stands for), or the
// part of the capacity that a stretchable task needs when it runs at full speed.
struct RouteUse {
  ResourceId resource{};
  double weight = 1;
};

// The shared resources that a transfer or a stretchable task needs at once, as a fluid.
struct Route {
  std::string name;
  std::vector<RouteUse> uses;
  Seconds latency;  // before the first byte moves; ignored for stretchable tasks
  // Fastest progress however free the resources are: bytes per second of a transfer. A stretchable
  // task never runs faster than 1.
  BytesPerSecond rate_cap{std::numeric_limits<double>::infinity()};
  // Relative claim where flows compete: rates grow in proportion to share until a resource is full.
  double share = 1;
};

class Platform {
 public:
  // Names may have the form "group/rest"; the group gathers tracks in viewers.
  ResourceId add_serial(std::string name) { return add_pool(std::move(name), 1); }
  // `places` tasks at a time.
  ResourceId add_pool(std::string name, int places);
  // Capacity that does not depend on the load.
  ResourceId add_link(std::string name, BytesPerSecond capacity);
  // The same for what is not bytes: `capacity` units of `unit` per second of simulated time, e.g.
  // 108 multiprocessors.
  ResourceId add_shared(std::string name, double capacity, std::string unit);
  SemaphoreId add_semaphore(std::string name, int tokens);
  // Throws Error (internal) if a use is not of a shared resource, names a resource twice, or a
  // number is out of range.
  RouteId add_route(Route route);

  enum class Kind : std::uint8_t { kQueued, kShared };
  struct Resource {
    std::string name;
    Kind kind = Kind::kQueued;
    int places = 0;       // queued
    double capacity = 0;  // shared, per second
    std::string unit;     // shared
  };
  struct Semaphore {
    std::string name;
    int tokens = 0;
  };

  std::span<const Resource> resources() const { return resources_; }
  std::span<const Route> routes() const { return routes_; }
  std::span<const Semaphore> semaphores() const { return semaphores_; }
  const Resource& resource(ResourceId id) const {
    return resources_.at(static_cast<std::size_t>(id));
  }
  const Route& route(RouteId id) const { return routes_.at(static_cast<std::size_t>(id)); }
  const Semaphore& semaphore(SemaphoreId id) const {
    return semaphores_.at(static_cast<std::size_t>(id));
  }
  // Time of `bytes` over the route when nothing else uses it: latency + bytes / rate, where the
  // rate is the cap or the smallest capacity / weight.
  Seconds uncontended_time(RouteId route, Bytes bytes) const;

 private:
  std::vector<Resource> resources_;
  std::vector<Route> routes_;
  std::vector<Semaphore> semaphores_;
};

}  // namespace paceline
