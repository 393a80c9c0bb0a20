#include "simulator/engine/wait_totals.h"

namespace paceline {

void WaitTotals::on_begin(const TaskGraph&, const Platform& platform) {
  by_resource_.assign(platform.resources().size(), {});
  by_semaphore_.assign(platform.semaphores().size(), {});
}

void WaitTotals::on_start(TaskId, SimTime now, const Wait& wait) {
  Total* total = nullptr;
  if (wait.reason == WaitReason::kResource) {
    total = &by_resource_[static_cast<std::size_t>(wait.resource)];
  } else if (wait.reason == WaitReason::kSemaphore) {
    total = &by_semaphore_[static_cast<std::size_t>(wait.semaphore)];
  } else {
    return;
  }
  total->waited += now - wait.ready;
  total->tasks += 1;
}

}  // namespace paceline
