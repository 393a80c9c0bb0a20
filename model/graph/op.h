// One operation of a network, as a person would name it: a convolution, a normalisation, an LSTM
// layer. Its attributes and the shapes of its tensors determine everything else: output shape
// (shape_inference.h), parameters, FLOP, bytes and what it keeps for the backward pass (work.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/graph/op_attributes.h"

namespace paceline {

// Which of its parameters an operation takes from another one (Op::shares_with).
enum class Sharing { kNone, kWeight, kAll };

struct Op {
  std::string name;  // unique in its graph: "layer1.0.conv2"
  OpAttributes attributes;
  std::vector<TensorId> inputs;
  TensorId output{};
  Sharing sharing = Sharing::kNone;
  std::string shares_with{};  // name of an earlier operation
  bool trainable = true;      // false: its parameters are frozen and get no gradient
  bool rests = false;         // frozen in this step, trained by other steps of the same job
  // What a rewrite (model/graph/rewrite) decided. Operations of one non-zero group run as one
  // kernel; the output of a recomputed one is dropped after forward and made again in backward.
  std::uint32_t fusion_group = 0;
  bool recomputed = false;
};

}  // namespace paceline
