// Which device or server owns each tensor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/plan/iteration_plan.h"

namespace paceline {

// Largest first to the owner with the least so far (MXNet CommDevice::InitMergeBuffer; the
// GreedyLoadBalancingStrategy of TensorFlow takes them in order of creation).
enum class PlacementOrder { kLargestFirst, kAsCreated };
std::vector<int> balanced_owners(std::span<const GradientTensor> gradients, int owners,
                                 PlacementOrder order);
// One after another (tf.train.replica_device_setter).
std::vector<int> round_robin_owners(std::size_t gradients, int owners);
// ps-lite: (key * 9973) mod servers (kvstore_dist.h, EncodeDefaultKey).
std::vector<int> hashed_owners(std::size_t gradients, int servers);

}  // namespace paceline
