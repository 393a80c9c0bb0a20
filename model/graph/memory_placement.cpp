#include "model/graph/memory_placement.h"

#include <algorithm>
#include <numeric>

namespace paceline {
namespace {

std::size_t position(int axis, const TensorShape& shape) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(shape.dims.size()) : axis);
}

// New memory without gaps, its dimensions in the same order as those of `like`.
Strides dense_in_order_of(const Tensor& like) {
  const auto& dims = like.shape.dims;
  std::vector<std::size_t> order(dims.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return like.strides[a] > like.strides[b]; });
  Strides strides(dims.size());
  std::int64_t step = 1;
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    strides[*at] = step;
    step *= dims[*at];
  }
  return strides;
}

struct PlacementOf {
  const Tensor& input;
  const TensorShape& output;

  MemoryPlacement fresh() const { return {false, row_major_strides(output)}; }
  MemoryPlacement elementwise(bool in_place = false) const {
    if (in_place) return {true, input.strides};
    if (input.contiguous || input.shape != output) return fresh();
    return {false, dense_in_order_of(input)};
  }
  MemoryPlacement operator()(const Activate& op) const { return elementwise(op.in_place); }
  MemoryPlacement operator()(const Dropout& op) const { return elementwise(op.in_place); }
  MemoryPlacement operator()(const Add& op) const { return elementwise(op.in_place); }
  MemoryPlacement operator()(const Multiply&) const { return elementwise(); }
  MemoryPlacement operator()(const Scale&) const { return elementwise(); }
  MemoryPlacement operator()(const Cast&) const { return elementwise(); }
  MemoryPlacement operator()(const Reshape&) const {
    auto strides = view_strides(input.shape, input.strides, output);
    return strides ? MemoryPlacement{true, std::move(*strides)} : fresh();
  }
  MemoryPlacement operator()(const Permute& op) const {
    Strides strides;
    for (const int axis : op.axes) strides.push_back(input.strides[position(axis, input.shape)]);
    return {true, std::move(strides)};
  }
  MemoryPlacement operator()(const Slice& op) const {
    Strides strides = input.strides;
    if (op.squeeze) {
      strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(position(op.axis, input.shape)));
    }
    return {true, std::move(strides)};
  }
  MemoryPlacement operator()(const Expand&) const {
    Strides strides(output.dims.size(), 0);
    const std::size_t added = output.dims.size() - input.shape.dims.size();
    for (std::size_t i = added; i < strides.size(); ++i) {
      if (input.shape.dims[i - added] == output.dims[i]) strides[i] = input.strides[i - added];
    }
    return {true, std::move(strides)};
  }
  template <typename Other>
  MemoryPlacement operator()(const Other&) const {
    return fresh();
  }
};

}  // namespace

Strides row_major_strides(const TensorShape& shape) {
  Strides strides(shape.dims.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.dims.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape.dims[i];
  }
  return strides;
}

bool is_row_major(const TensorShape& shape, const Strides& strides) {
  std::int64_t step = 1;
  for (std::size_t i = shape.dims.size(); i-- > 0;) {
    if (shape.dims[i] == 1) continue;
    if (strides[i] != step) return false;
    step *= shape.dims[i];
  }
  return true;
}

// Runs of dimensions that lie behind one another in memory form chunks; the new dimensions must
// split or join within chunks.
std::optional<Strides> view_strides(const TensorShape& shape, const Strides& strides,
                                    const TensorShape& as) {
  Strides result(as.dims.size(), 1);
  std::size_t next = as.dims.size();  // the new dimensions from here on are placed
  std::int64_t chunk_stride = strides.empty() ? 1 : strides.back();
  std::int64_t chunk = 1;
  for (std::size_t i = shape.dims.size(); i-- > 0;) {
    chunk *= shape.dims[i];
    const bool ends = i == 0 || (shape.dims[i - 1] != 1 && strides[i - 1] != chunk * chunk_stride);
    if (!ends) continue;
    std::int64_t placed = 1;
    while (next > 0 && (placed < chunk || as.dims[next - 1] == 1)) {
      --next;
      result[next] = placed * chunk_stride;
      placed *= as.dims[next];
    }
    if (placed != chunk) return std::nullopt;
    if (i > 0) {
      chunk_stride = strides[i - 1];
      chunk = 1;
    }
  }
  return next == 0 ? std::optional(result) : std::nullopt;
}

MemoryPlacement memory_placement(const OpAttributes& attributes, const Tensor& first_input,
                                 const TensorShape& output) {
  return std::visit(PlacementOf{first_input, output}, attributes);
}

}  // namespace paceline
