// OnnxLowering: stored weights that the graph slices, joins or transposes before it uses them.
#include <algorithm>

#include "model/import/onnx_lowering.h"

namespace paceline {
namespace {

std::size_t place(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

}  // namespace

bool OnnxLowering::give_weight(const OnnxNode& node, OnnxTensor stored) {
  stored.integers.clear();
  stored.reals.clear();
  const auto root = weight_root_.find(node.inputs[0]);
  weight_root_[node.outputs[0]] = root == weight_root_.end() ? node.inputs[0] : root->second;
  weights_[node.outputs[0]] = std::move(stored);
  return true;
}

bool OnnxLowering::derive_weight(const OnnxNode& node) {
  const OnnxTensor* stored = weight(node, 0);
  if (stored == nullptr || stored->integer) return false;
  OnnxTensor result = *stored;
  const std::size_t rank = result.dims.size();
  if (node.op == "Identity") return give_weight(node, std::move(result));
  if (node.op == "Transpose") {
    const Ints order = integers_of(node, "perm", {});
    if (order.empty()) std::reverse(result.dims.begin(), result.dims.end());
    if (!order.empty() && order.size() != rank) return false;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (place(order[i], rank) >= rank) return false;
      result.dims[i] = stored->dims[place(order[i], rank)];
    }
    return give_weight(node, std::move(result));
  }
  if (node.op == "Concat") {
    const std::size_t axis = place(integer(node, "axis", 0), rank);
    if (axis >= rank) return false;
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
      const OnnxTensor* part = weight(node, i);
      if (part == nullptr || part->dims.size() != rank) return false;
      result.dims[axis] += part->dims[axis];
    }
    return give_weight(node, std::move(result));
  }
  if (node.op == "Slice") {
    const Ints starts = integers(node, 1), ends = integers(node, 2);
    const Ints at = has_input(node, 3) ? integers(node, 3) : Ints{0};
    if (starts.size() != 1 || ends.size() != 1 || at.size() != 1) return false;
    if (place(at[0], rank) >= rank) return false;
    std::int64_t& dim = result.dims[place(at[0], rank)];
    const auto bound = [&](std::int64_t end) {
      return std::clamp<std::int64_t>(end < 0 ? end + dim : end, 0, dim);
    };
    dim = std::max<std::int64_t>(bound(ends[0]) - bound(starts[0]), 0);
    return give_weight(node, std::move(result));
  }
  if (node.op == "Unsqueeze") {
    for (const std::int64_t axis : axes(node, rank + 1)) {
      if (axis < 0 || place(axis, rank) > result.dims.size()) return false;
      result.dims.insert(result.dims.begin() + static_cast<std::ptrdiff_t>(place(axis, rank)), 1);
    }
    return give_weight(node, std::move(result));
  }
  return false;
}

}  // namespace paceline
