// Workers that are processes of one host (network namespaces, containers) share its cores: what
// they compute, and what sending and receiving costs a processor. Each thread gets an equal part of
// what is left by threads that need less, as the kernel's fair scheduler gives it: max-min sharing
// of cores. docs/models/strategies.md.
#pragma once

#include "simulator/engine/platform.h"
#include "simulator/job/machine_fabric.h"
#include "simulator/task/task.h"

namespace paceline {

struct SharedCores {
  int cores = 1;  // of the host, for all workers and servers together
  // Core-seconds that a byte between two workers costs both ends together.
  double work_per_byte = 0;
};

class CorePool {
 public:
  // Adds "cores of the host" to `platform`, which must outlive this.
  CorePool(Platform& platform, const SharedCores& shared);

  // A task that takes `alone` where `threads` cores are free. `processes` of the host do the same
  // at the same time, and this one stands for them.
  Task computing(SimTime alone, int threads, double processes, ResourceId queue,
                 const Label& label);
  // What such a task takes of the cores for each second that it would take alone.
  RouteUse use(int threads, double processes) const { return {cores_, threads * processes}; }
  // A message of each of `processes`, `sent` bytes long, that takes `alone` where the cores are
  // free for it.
  Task message(Seconds alone, Bytes sent, double processes, ResourceId queue, const Label& label);
  // What a copy between machines of each of `processes` takes of the cores on its way.
  void load(Way& way, double processes) const;
  // The same inside the host's memory, where one thread of each copies at `rate` at best.
  void load_in_memory(Way& way, BytesPerSecond rate, double processes) const;

 private:
  Platform* platform_;
  ResourceId cores_;
  double work_per_byte_;
  std::map<std::pair<int, double>, RouteId> computing_;
};

}  // namespace paceline
