// Task: one unit of work in a simulated run, and what it needs.
#pragma once

#include <cstdint>

#include "core/sim_time.h"
#include "core/units.h"
#include "traces/timeline/span.h"

namespace paceline {

enum class TaskId : std::uint32_t {};
enum class ResourceId : std::uint32_t {};   // of a Platform
enum class RouteId : std::uint32_t {};      // of a Platform
enum class SemaphoreId : std::uint32_t {};  // of a Platform
inline constexpr ResourceId kNoResource{0xffffffff};
inline constexpr RouteId kNoRoute{0xffffffff};

// Labels of predicted tasks and of measured spans are the same type.
using TaskKind = SpanKind;

// How the time of a task follows from what it needs.
enum class WorkKind : std::uint8_t {
  kFixed,       // a duration, whatever else runs
  kTransfer,    // bytes over a route: latency, then a fair share of the route's resources
  kStretchable  // a duration when alone, longer while the route's resources are contended
};

// A task starts when its predecessors have ended, its semaphores have tokens and its resource has a
// free place; it holds that place until it ends. Make one with the functions below.
struct Task {
  WorkKind work = WorkKind::kFixed;
  SimTime duration;                   // kFixed, kStretchable
  Bytes bytes;                        // kTransfer; not negative
  RouteId route = kNoRoute;           // kTransfer, kStretchable
  ResourceId resource = kNoResource;  // a serial resource or a pool; none: starts at once
  std::int16_t priority = 0;          // the larger is served first where tasks queue
  Label label;
};

inline Task fixed_task(SimTime duration, ResourceId resource = kNoResource, Label label = {}) {
  return {WorkKind::kFixed, duration, Bytes(), kNoRoute, resource, 0, label};
}

inline Task transfer_task(Bytes bytes, RouteId route, ResourceId resource = kNoResource,
                          Label label = {}) {
  return {WorkKind::kTransfer, SimTime(), bytes, route, resource, 0, label};
}

inline Task stretchable_task(SimTime alone, RouteId route, ResourceId resource = kNoResource,
                             Label label = {}) {
  return {WorkKind::kStretchable, alone, Bytes(), route, resource, 0, label};
}

}  // namespace paceline
