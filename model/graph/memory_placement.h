// Where an operation's output lies in memory: a view of its first input, or new memory in some
// order. The rules are those of PyTorch: which reshapes copy, and that an elementwise operation
// keeps the order of the dimensions of what it reads.
#pragma once

#include <optional>
#include <vector>

#include "model/graph/op_attributes.h"

namespace paceline {

using Strides = std::vector<std::int64_t>;

Strides row_major_strides(const TensorShape& shape);
// Dimensions of size 1 do not matter.
bool is_row_major(const TensorShape& shape, const Strides& strides);

// The strides with which the memory of a tensor can be seen in another shape of as many elements;
// none if only a copy can have that shape.
std::optional<Strides> view_strides(const TensorShape& shape, const Strides& strides,
                                    const TensorShape& as);

struct MemoryPlacement {
  bool aliases_input = false;
  Strides strides;
};
// `output` is the inferred shape.
MemoryPlacement memory_placement(const OpAttributes& attributes, const Tensor& first_input,
                                 const TensorShape& output);

}  // namespace paceline
