#include "simulator/job/rank_progress.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace paceline {

RankProgress::RankProgress(const ComputeProfile& profile, int ranks)
    : latest_(static_cast<std::size_t>(ranks), kNoTask),
      ready_(latest_.size(), std::vector<TaskId>(profile.gradients.size(), kNoTask)),
      weights_ready_(ready_),
      blocks_(latest_.size()),
      gradients_of_layer_(profile.layers.size()) {
  for (std::uint32_t i = 0; i < profile.gradients.size(); ++i) {
    gradients_of_layer_.at(profile.gradients[i].layer).push_back(i);
  }
}

TaskId RankProgress::ready(int rank, std::uint32_t gradient) const {
  const TaskId task = ready_.at(static_cast<std::size_t>(rank)).at(gradient);
  PACELINE_ASSERT(task != kNoTask, "a gradient is aggregated after it is final");
  return task;
}

void RankProgress::set_ready(int rank, std::span<const std::uint32_t> gradients, TaskId task) {
  for (const std::uint32_t gradient : gradients) {
    ready_.at(static_cast<std::size_t>(rank)).at(gradient) = task;
  }
}

void RankProgress::set_weights_ready(int rank, std::uint32_t gradient, TaskId task) {
  weights_ready_.at(static_cast<std::size_t>(rank)).at(gradient) = task;
}

void RankProgress::set_all_weights_ready(int rank, TaskId task) {
  std::ranges::fill(weights_ready_.at(static_cast<std::size_t>(rank)), task);
}

std::vector<TaskId> RankProgress::take_weights(int rank, std::uint32_t layer) {
  std::vector<TaskId> out;
  for (const std::uint32_t gradient : gradients_of_layer_.at(layer)) {
    const TaskId task =
        std::exchange(weights_ready_.at(static_cast<std::size_t>(rank)).at(gradient), kNoTask);
    if (task != kNoTask) out.push_back(task);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

void RankProgress::block(int rank, TaskId task) {
  blocks_.at(static_cast<std::size_t>(rank)).push_back(task);
}

std::vector<TaskId> RankProgress::take_blocks(int rank) {
  return std::exchange(blocks_.at(static_cast<std::size_t>(rank)), {});
}

}  // namespace paceline
