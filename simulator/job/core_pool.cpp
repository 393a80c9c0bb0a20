#include "simulator/job/core_pool.h"

#include <algorithm>

#include "core/error.h"

namespace paceline {

CorePool::CorePool(Platform& platform, const SharedCores& shared)
    : platform_(&platform),
      cores_(platform.add_shared("cores of the host", shared.cores, "cores")),
      work_per_byte_(shared.work_per_byte) {
  PACELINE_ASSERT(work_per_byte_ > 0, "sending costs a processor something");
}

Task CorePool::computing(SimTime alone, int threads, double processes, ResourceId queue,
                         const Label& label) {
  const std::pair key(threads, processes);
  if (!computing_.contains(key)) {
    Route route;
    route.name = "computing " + std::to_string(computing_.size());
    route.uses = {use(threads, processes)};
    computing_[key] = platform_->add_route(std::move(route));
  }
  return stretchable_task(alone, computing_[key], queue, label);
}

// The share is what makes a thread that sends and one that computes grow by the same part of a
// core: a thread computes at rate 1 and sends at 1 / work_per_byte on a whole core.
Task CorePool::message(Seconds alone, Bytes sent, double processes, ResourceId queue,
                       const Label& label) {
  if (sent.si() <= 0 || alone.si() <= 0) return fixed_task(SimTime::from(alone), queue, label);
  Route route;
  route.name = "message";
  route.uses = {{cores_, work_per_byte_ * processes}};
  route.rate_cap = sent / alone;
  route.share = 1 / work_per_byte_;
  return transfer_task(sent, platform_->add_route(std::move(route)), queue, label);
}

void CorePool::load(Way& way, double processes) const {
  way.add(cores_, work_per_byte_ * processes);
  way.share = 1 / work_per_byte_;
}

void CorePool::load_in_memory(Way& way, BytesPerSecond rate, double processes) const {
  way.add(cores_, processes / rate.si());
  way.cap = std::min(way.cap, rate);
  way.share = rate.si();
}

}  // namespace paceline
