// What operations keep for backward in frameworks whose gradients are written for whole layers
// (MXNet, TensorFlow, CNTK, Caffe, Torch7): mostly the same, with a few differences by library.
#pragma once

#include "simulator/memory/memory_rules.h"

namespace paceline {

struct KeepDifferences {
  // The gradient of sigmoid and tanh reads their input beside their output (cuDNN's interface).
  bool activation_input = false;
  // The gradient of pooling reads input and output (cuDNN); else that of the mean reads nothing and
  // that of the maximum `pool_index` bytes per output.
  bool pool_tensors = true;
  bool mean_pool_tensors = true;  // where pool_tensors: that of the mean as well
  std::int64_t pool_index = 0;
  std::int64_t dropout_mask = 4;  // bytes per element
  // Probabilities (or the gradient) of the loss are a tensor beside the logits; else they overwrite
  // them.
  bool loss_beside_logits = true;
};

std::vector<SavedBuffer> layer_keeps(const MemoryRules& rules, const Op& op,
                                     const KeepDifferences& differences);

// Scratch shared by the whole device: the largest of any operation and pass, held for ever.
std::int64_t largest_workspace(const MemoryRules& rules);

}  // namespace paceline
