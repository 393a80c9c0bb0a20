// How PyTorch's DistributedDataParallel puts gradients into buckets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/units.h"
#include "model/plan/iteration_plan.h"

namespace paceline {

struct Bucket {
  std::vector<std::uint32_t> gradients;
  Bytes bytes;
};

// Tensors in the opposite order of registration; a bucket closes when it holds at least its limit,
// so it may overshoot, and a tensor is never split. The first bucket has a limit of its own
// (compute_bucket_assignment_by_size, torch/csrc/distributed/c10d/reducer.cpp).
std::vector<Bucket> ddp_buckets(std::span<const GradientTensor> gradients, Bytes first_limit,
                                Bytes limit);

}  // namespace paceline
