// Observers learn what happens during a simulation while it happens, and why each task waited.
// They watch; nothing they do changes the result.
#pragma once

#include "core/sim_time.h"
#include "simulator/engine/platform.h"
#include "simulator/task/task_graph.h"

namespace paceline {

enum class WaitReason : std::uint8_t {
  kNothing,     // started at time zero
  kDependency,  // the last predecessor to end
  kResource,    // all places of its queued resource were taken
  kSemaphore    // tokens were missing
};

// Why a task started when it did.
struct Wait {
  WaitReason reason = WaitReason::kNothing;
  TaskId blocker{0xffffffff};         // whose end let it start; none for kNothing
  ResourceId resource = kNoResource;  // kResource
  SemaphoreId semaphore{0xffffffff};  // kSemaphore
  SimTime ready;                      // when the last predecessor ended
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_begin(const TaskGraph&, const Platform&) {}
  virtual void on_start(TaskId, SimTime /*now*/, const Wait&) {}
  virtual void on_end(TaskId, SimTime /*now*/) {}
  // The load of a shared resource changed to `used` of its capacity, in units per second.
  virtual void on_load(ResourceId, SimTime /*now*/, double /*used*/) {}
  virtual void on_finish(SimTime /*makespan*/) {}
};

}  // namespace paceline
