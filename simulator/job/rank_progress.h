// How far each rank of a simulated job has come, and what its next work waits for: the weights of a
// layer, and what blocks the thread that issues.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/job/compute_profile.h"
#include "simulator/task/task.h"

namespace paceline {

inline constexpr TaskId kNoTask{0xffffffff};

class RankProgress {
 public:
  RankProgress(const ComputeProfile& profile, int ranks);

  // The last task of the rank's compute stream.
  TaskId latest(int rank) const { return latest_.at(static_cast<std::size_t>(rank)); }
  void set_latest(int rank, TaskId task) { latest_.at(static_cast<std::size_t>(rank)) = task; }

  // When a gradient is final. Throws Error (internal) if it is not yet.
  TaskId ready(int rank, std::uint32_t gradient) const;
  void set_ready(int rank, std::span<const std::uint32_t> gradients, TaskId task);

  // The next forward pass of the layer of this gradient, or of all layers, waits for `task`.
  void set_weights_ready(int rank, std::uint32_t gradient, TaskId task);
  void set_all_weights_ready(int rank, TaskId task);
  // What the layer's forward pass waits for, each task once; nothing when asked again, since later
  // micro-batches follow on the same stream.
  std::vector<TaskId> take_weights(int rank, std::uint32_t layer);

  // The next task of the compute stream, whatever it is, waits for `task`.
  void block(int rank, TaskId task);
  std::vector<TaskId> take_blocks(int rank);

 private:
  std::vector<TaskId> latest_;
  std::vector<std::vector<TaskId>> ready_;          // rank, gradient
  std::vector<std::vector<TaskId>> weights_ready_;  // rank, gradient; kNoTask: no need to wait
  std::vector<std::vector<TaskId>> blocks_;         // rank
  std::vector<std::vector<std::uint32_t>> gradients_of_layer_;
};

}  // namespace paceline
