// Observer that sums how long tasks that were ready waited, and for what: the queue in front of
// each resource and semaphore. Waiting for dependencies is no queueing and not counted.
#pragma once

#include <vector>

#include "simulator/engine/observer.h"

namespace paceline {

class WaitTotals : public Observer {
 public:
  struct Total {
    SimTime waited;         // summed over tasks; may exceed the makespan
    std::size_t tasks = 0;  // that waited
  };

  void on_begin(const TaskGraph&, const Platform& platform) override;
  void on_start(TaskId, SimTime now, const Wait& wait) override;

  const Total& of(ResourceId resource) const {
    return by_resource_.at(static_cast<std::size_t>(resource));
  }
  const Total& of(SemaphoreId semaphore) const {
    return by_semaphore_.at(static_cast<std::size_t>(semaphore));
  }

 private:
  std::vector<Total> by_resource_;
  std::vector<Total> by_semaphore_;
};

}  // namespace paceline
