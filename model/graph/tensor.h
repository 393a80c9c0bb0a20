// Shapes and identities of the tensors that flow through a network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace paceline {

enum class TensorId : std::uint32_t {};

struct TensorShape {
  std::vector<std::int64_t> dims;  // outermost first; the batch dimension is included
  std::int64_t elements() const {
    std::int64_t product = 1;
    for (const std::int64_t dim : dims) product *= dim;
    return product;
  }
  bool operator==(const TensorShape&) const = default;
};

struct Tensor {
  std::string name;
  TensorShape shape;
  bool integer = false;  // class indices, token ids: no gradient flows through them
};

}  // namespace paceline
