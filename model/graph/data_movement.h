// Attributes of the operations that compute nothing: views, copies, selections, casts.
#pragma once

#include <cstdint>
#include <vector>

#include "model/graph/tensor.h"

namespace paceline {

struct Cast {  // to another element type
  Precision to = Precision::kFp32;
};
struct Concat {
  int axis = 1;
};
struct Reshape {  // no data moves unless the input is not contiguous
  TensorShape shape;
};
struct Permute {  // a transposed view; frameworks may copy when it is consumed
  std::vector<int> axes;
};
struct Slice {  // a view of a range of one axis; `squeeze` drops the axis when one index is left
  int axis = 0;
  std::int64_t start = 0, length = 0;
  bool squeeze = false;
};
struct Expand {  // a view that repeats dimensions of size 1
  TensorShape shape;
};
// Copies `count` entries along an axis, chosen by indices (second input, if there is one).
struct Gather {
  int axis = 0;
  std::int64_t count = 0;
};
// Adds rows back to where a Gather took them from: the output has `count` entries along the axis.
struct ScatterAdd {
  int axis = 0;
  std::int64_t count = 0;
};
struct TopK {  // the largest `count` of the last dimension
  std::int64_t count = 1;
};
struct Mean {  // over one axis, which disappears
  int axis = 1;
};
// Bilinear samples of `regions` boxes, size x size each, from a feature map.
struct RoiAlign {
  std::int64_t regions = 0, size = 7;
};

}  // namespace paceline
