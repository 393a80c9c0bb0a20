// What an import knows of a value of an ONNX graph: a tensor of the network, integers known while
// reading (shapes), or a constant whose content does not matter (an initial state of zeros).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/graph/tensor.h"

namespace paceline {

struct OnnxValue {
  std::optional<TensorId> tensor{};
  std::optional<std::vector<std::int64_t>> integers{};
  bool scalar = false;  // integers without a dimension
  bool constant = false;
  std::vector<std::int64_t>
      padding{};  // height and width added by a Pad that the next pooling absorbs
};

}  // namespace paceline
