// Observer that records the load of each shared resource over time, as counters of the timeline.
#pragma once

#include <vector>

#include "simulator/engine/observer.h"
#include "traces/timeline/timeline.h"

namespace paceline {

class LoadRecorder : public Observer {
 public:
  void on_begin(const TaskGraph&, const Platform& platform) override;
  void on_load(ResourceId resource, SimTime now, double used) override;

  // One counter per shared resource that was used, in order of resource; value in the resource's
  // unit per second, held until the next point.
  std::vector<Counter> counters() const;
  // What went through a shared resource up to its latest change of load: bytes of a link.
  double total(ResourceId resource) const {
    return recordings_.at(static_cast<std::size_t>(resource)).total;
  }

 private:
  struct Recording {
    Counter counter;
    double total = 0;
  };
  std::vector<Recording> recordings_;  // by resource
};

}  // namespace paceline
