// Shapes and identities of the tensors that flow through a network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "model/kernel/kernel.h"

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

// "16x64x56x56"; "scalar" without dimensions.
std::string to_string(const TensorShape& shape);

struct Tensor {
  std::string name;  // of the operation that makes it, or of the network's input
  TensorShape shape;
  bool integer = false;  // class indices, token ids, masks: no gradient flows through them
  // A trainable parameter lies upstream, so backward computes the gradient of this tensor.
  bool needs_gradient = false;
  // The tensor whose memory this one uses: it is a view (reshape, permute, slice, expand) or the
  // result of an operation in place. Chains end in the tensor that owns the memory.
  std::optional<TensorId> alias_of;
  // Distance in memory between neighbours along each dimension, in elements; 0 where a dimension is
  // repeated by Expand. Row-major unless the tensor is a view or was computed from one.
  std::vector<std::int64_t> strides{};
  bool contiguous = true;                  // row-major: a reshape is a view of the same memory
  Precision precision = Precision::kFp32;  // of the stored elements, unless integer; never tf32

  // One element, 8 bytes for indices (int64).
  Bytes element_bytes() const { return integer ? Bytes(8) : element_size(precision); }
  Bytes bytes() const { return static_cast<double>(shape.elements()) * element_bytes(); }
};

}  // namespace paceline
