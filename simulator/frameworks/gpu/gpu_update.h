// The optimizer on a GPU: passes over all parameter tensors, many tensors in one kernel ("foreach",
// "fused") or each by itself ("loop").
#pragma once

#include <vector>

#include "simulator/frameworks/gpu/gpu_issuer.h"

namespace paceline::gpu {

// Weights and gradients of 16 bits, fp32 ones kept beside them for the optimizer.
bool stores_narrow_weights(const Issuer& issuer);
// Before an iteration, where the framework does so.
void issue_zero_gradients(Issuer& issuer, std::vector<IssuedCall>& calls);
// After it.
void issue_update(Issuer& issuer, std::vector<IssuedCall>& calls);

}  // namespace paceline::gpu
