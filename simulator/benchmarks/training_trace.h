// A training-like run on an n-dimensional torus of devices, as tasks: what the scale of the engine
// is measured with.
//
// Every rank runs `layers` forward and `layers` backward tasks on its device. After each backward
// task its gradients are all-reduced while the next layers go on: in `chunks` pieces, each
// reduce-scattered by a ring in the first dimension, then the second, ..., then all-gathered in the
// opposite order. Every send of every ring step of every rank is a task: it follows the rank's own
// send of the step before and the one it received in that step, and holds the rank's link of that
// dimension. A ring serves one phase of one chunk at a time, the one that came first.
#pragma once

#include <vector>

#include "core/sim_time.h"
#include "core/units.h"
#include "simulator/engine/platform.h"
#include "simulator/symmetry/rank_classes.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {

struct TrainingTrace {
  struct Dimension {
    std::int32_t size = 1;
    BytesPerSecond bandwidth;
  };
  std::vector<Dimension> dimensions;
  std::int32_t layers = 100;
  SimTime forward = SimTime::from_picoseconds(500'000'000);
  SimTime backward = SimTime::from_picoseconds(1'000'000'000);
  Bytes gradients{10e6};  // of one layer
  std::int32_t chunks = 4;
  // Sends are transfers over shared links instead of tasks that hold a serial link for a duration.
  bool over_shared_links = false;

  std::int32_t ranks() const;
  // The rank whose messages `rank` receives in the ring of `dimension`.
  std::int32_t sender(std::int32_t rank, std::size_t dimension) const;
  // All ranks in one class, as nothing distinguishes them.
  RankClasses symmetric() const;

  // Duration of one all-reduce by itself: phases of chunks follow each other on the rings of their
  // dimension, start(chunk, phase) = max(end(chunk, phase - 1), ring free), without any tasks.
  SimTime all_reduce_time() const;
  // Closed form of the run while an all-reduce is shorter than a backward task: all compute, then
  // the last all-reduce. Throws Error (internal) where that does not hold.
  SimTime closed_form() const;
};

struct TrainingGraph {
  Platform platform;
  TaskGraph graph;
};

// One rank of each class is emitted; messages from a rank are those of its representative.
TrainingGraph build(const TrainingTrace& trace, const RankClasses& classes);

}  // namespace paceline
