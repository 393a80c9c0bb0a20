// OnnxLowering: arithmetic, views and the integers that shapes are computed from.
#include <algorithm>
#include <cmath>
#include <optional>

#include "model/import/onnx_lowering.h"

namespace paceline {
namespace {

// Nothing where the result has none in 64 bits.
std::optional<std::int64_t> apply(const std::string& op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflows = op == "Add"   ? __builtin_add_overflow(a, b, &result)
                         : op == "Sub" ? __builtin_sub_overflow(a, b, &result)
                         : op == "Mul" ? __builtin_mul_overflow(a, b, &result)
                                       : b == 0 || b == -1;
  if (overflows && op == "Div" && b == -1) return apply("Sub", 0, a);
  if (overflows) return std::nullopt;
  return op == "Div" ? a / b : result;
}

}  // namespace

bool OnnxLowering::arithmetic(const OnnxNode& node) {
  const auto a = known_integers(node, 0), b = known_integers(node, 1);
  if (a && b && a->size() == b->size()) {
    Ints result;
    for (std::size_t i = 0; i < a->size(); ++i) {
      const auto number = apply(node.op, (*a)[i], (*b)[i]);
      if (!number) fail(node, "its result is no number of 64 bits");
      result.push_back(*number);
    }
    const Value* first = value(node, 0);
    return give_integers(node, std::move(result), first != nullptr && first->scalar);
  }
  if (node.op == "Div" && gelu(node)) return true;
  for (const std::size_t scalar : {0u, 1u}) {
    if (is_scalar(node, scalar) && !is_scalar(node, 1 - scalar)) {
      if (node.op == "Div" && scalar == 0) return false;
      return give(node, b_.add_op(unique(node), Scale{}, {tensor(node, 1 - scalar)}));
    }
  }
  if (node.op == "Div") return false;
  TensorId left = tensor(node, 0), right = tensor(node, 1);
  // The larger operand gives the shape.
  if (b_.shape(right).elements() > b_.shape(left).elements()) std::swap(left, right);
  if (node.op == "Mul") return give(node, b_.multiply(unique(node), left, right));
  return give(node, b_.add(unique(node), left, right));
}

// Of numbers known beforehand only, such as head_dim to the power of -0.5.
bool OnnxLowering::scalar_function(const OnnxNode& node) {
  const auto number = [&](std::size_t input) -> std::optional<double> {
    if (const auto known = real(node, input)) return known;
    const auto ints = known_integers(node, input);
    if (!ints || ints->size() != 1) return std::nullopt;
    return static_cast<double>((*ints)[0]);
  };
  const auto base = number(0);
  const auto exponent = node.op == "Sqrt" ? std::optional(0.5) : number(1);
  if (!base || !exponent) return false;
  reals_[node.outputs[0]] = std::pow(*base, *exponent);
  return give_constant(node);
}

// x / sqrt(2) -> Erf -> + 1 -> * x -> * 0.5, as exporters write GELU.
bool OnnxLowering::gelu(const OnnxNode& node) {
  std::vector<const OnnxNode*> chain = {&node};
  for (const std::string op : {"Erf", "Add", "Mul", "Mul"}) {
    const OnnxNode* next = only_consumer(chain.back()->outputs[0]);
    if (next == nullptr || next->op != op) return false;
    chain.push_back(next);
  }
  const auto& factors = chain[3]->inputs;
  if (std::find(factors.begin(), factors.end(), node.inputs[0]) == factors.end()) return false;
  joined_.insert(chain.begin() + 1, chain.end());
  return give(*chain.back(), b_.activate(unique(node), tensor(node, 0), Activation::kGelu));
}

bool OnnxLowering::constant(const OnnxNode& node) {
  const auto found = node.attributes.find("value");
  if (node.op == "ConstantOfShape") return give_constant(node);
  if (found == node.attributes.end()) return false;
  const OnnxTensor& stored = found->second.tensor;
  if (stored.integer && !stored.integers.empty()) {
    return give_integers(node, stored.integers, stored.dims.empty());
  }
  if (stored.reals.size() == 1) reals_[node.outputs[0]] = stored.reals[0];
  return give_constant(node);
}

bool OnnxLowering::shape_of(const OnnxNode& node) {
  if (is_constant(node, 0)) return false;
  return give_integers(node, b_.shape(tensor(node, 0)).dims);
}

bool OnnxLowering::identity(const OnnxNode& node) {
  if (const Value* known = value(node, 0)) {
    const Value copy = *known;
    values_[node.outputs[0]] = copy;
    return true;
  }
  return give(node, tensor(node, 0));
}

bool OnnxLowering::concat(const OnnxNode& node) {
  Ints joined;
  bool all_known = true;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto known = known_integers(node, i);
    all_known = all_known && known;
    if (known) joined.insert(joined.end(), known->begin(), known->end());
  }
  if (all_known) return give_integers(node, std::move(joined));
  std::vector<TensorId> parts;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) parts.push_back(tensor(node, i));
  return give(node, b_.concat(unique(node), parts, static_cast<int>(integer(node, "axis", 1))));
}

bool OnnxLowering::reshape(const OnnxNode& node) {
  if (is_constant(node, 0)) return give_constant(node);
  const TensorId x = tensor(node, 0);
  const auto& from = b_.shape(x).dims;
  Ints dims;
  if (node.op == "Flatten") {
    const std::int64_t axis = integer(node, "axis", 1);
    if (axis < 0 || axis > static_cast<std::int64_t>(from.size())) return false;
    dims = {1, 1};
    for (std::size_t i = 0; i < from.size(); ++i) {
      dims[static_cast<std::int64_t>(i) < axis ? 0 : 1] *= from[i];
    }
  } else {
    dims = integers(node, 1);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == 0 && i < from.size()) dims[i] = from[i];
    }
    const auto unknown = std::find(dims.begin(), dims.end(), -1);
    if (unknown != dims.end() && dims[0] == file_batch_) dims[0] = b_.batch();
    std::int64_t known = -1;
    for (const std::int64_t dim : dims) {
      if (__builtin_mul_overflow(known, dim, &known)) fail(node, "its shape has too many elements");
    }
    if (unknown != dims.end() && known > 0) *unknown = b_.shape(x).elements() / known;
    dims = rescaled(std::move(dims), b_.shape(x).elements());
  }
  return give(node, b_.reshape(unique(node), x, std::move(dims)));
}

bool OnnxLowering::squeeze(const OnnxNode& node) {
  if (is_constant(node, 0)) return give_constant(node);
  if (const auto known = known_integers(node, 0)) {
    return give_integers(node, *known, node.op == "Squeeze");
  }
  const TensorId x = tensor(node, 0);
  Ints dims = b_.shape(x).dims;
  const bool removes = node.op == "Squeeze";
  const std::size_t rank = removes ? dims.size() : dims.size() + axes(node, 0).size();
  Ints at = axes(node, rank);
  std::sort(at.begin(), at.end());
  if (removes) std::reverse(at.begin(), at.end());
  for (const std::int64_t axis : at) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return false;
    const auto place = dims.begin() + static_cast<std::ptrdiff_t>(axis);
    if (removes && *place != 1) fail(node, "an axis to drop is longer than 1");
    removes ? void(dims.erase(place)) : void(dims.insert(place, 1));
  }
  return give(node, b_.reshape(unique(node), x, std::move(dims)));
}

bool OnnxLowering::transpose(const OnnxNode& node) {
  const Ints order = integers_of(node, "perm", {});
  const TensorId x = tensor(node, 0);
  std::vector<int> permutation(order.begin(), order.end());
  if (order.empty()) {
    for (std::size_t i = b_.shape(x).dims.size(); i-- > 0;) {
      permutation.push_back(static_cast<int>(i));
    }
  }
  return give(node, b_.permute(unique(node), x, std::move(permutation)));
}

bool OnnxLowering::split(const OnnxNode& node) {
  const TensorId x = tensor(node, 0);
  const auto axis = static_cast<int>(integer(node, "axis", 0));
  const auto parts = static_cast<std::int64_t>(node.outputs.size());
  Ints lengths = has_input(node, 1) ? integers(node, 1) : integers_of(node, "split", {});
  if (lengths.empty()) lengths.assign(node.outputs.size(), b_.dim(x, axis) / parts);
  if (lengths.size() != node.outputs.size()) fail(node, "needs one length per output");
  std::int64_t start = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 1 || lengths[i] > b_.dim(x, axis)) fail(node, "a part has no elements");
    values_[node.outputs[i]].tensor =
        b_.slice(unique(node) + "." + std::to_string(i), x, axis, start, lengths[i]);
    start += lengths[i];
  }
  return true;
}

bool OnnxLowering::slice(const OnnxNode& node) {
  if (is_constant(node, 0)) return give_constant(node);
  const Ints starts = integers(node, 1), ends = integers(node, 2);
  const Ints at = has_input(node, 3) ? integers(node, 3) : Ints{};
  if (ends.size() != starts.size() || (!at.empty() && at.size() != starts.size())) {
    fail(node, "starts, ends and axes are not equally many");
  }
  if (const auto known = known_integers(node, 0)) {
    const auto size = static_cast<std::int64_t>(known->size());
    if (starts.empty()) return false;
    const auto bound = [&](std::int64_t end) {
      return std::clamp<std::int64_t>(end < 0 ? end + size : end, 0, size);
    };
    return give_integers(node, Ints(known->begin() + bound(starts[0]),
                                    known->begin() + std::max(bound(starts[0]), bound(ends[0]))));
  }
  if (has_input(node, 4)) {
    const Ints steps = integers(node, 4);
    if (std::any_of(steps.begin(), steps.end(), [](std::int64_t s) { return s != 1; })) {
      fail(node, "steps other than 1 are not supported");
    }
  }
  TensorId x = tensor(node, 0);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto axis = static_cast<int>(at.empty() ? static_cast<std::int64_t>(i) : at[i]);
    const std::int64_t size = b_.dim(x, axis);
    const std::int64_t start =
        std::clamp<std::int64_t>(starts[i] < 0 ? starts[i] + size : starts[i], 0, size);
    const std::int64_t end = std::min(ends[i] < 0 ? ends[i] + size : ends[i], size);
    const std::string name = unique(node) + (i == 0 ? "" : "." + std::to_string(i));
    x = b_.slice(name, x, axis, start, end - start);
  }
  return give(node, x);
}

bool OnnxLowering::gather(const OnnxNode& node) {
  const std::int64_t axis = integer(node, "axis", 0);
  if (const auto known = known_integers(node, 0)) {
    Ints picked;
    for (std::int64_t index : integers(node, 1)) {
      if (index < 0) index += static_cast<std::int64_t>(known->size());
      if (index < 0 || index >= static_cast<std::int64_t>(known->size())) return false;
      picked.push_back((*known)[static_cast<std::size_t>(index)]);
    }
    const Value* index = value(node, 1);
    return give_integers(node, picked, index != nullptr && index->scalar);
  }
  const OnnxTensor* table = weight(node, 0);
  if (table != nullptr && table->dims.size() == 2 && axis == 0 && !known_integers(node, 1)) {
    return give(node, layer(node, Embedding{table->dims[0], table->dims[1]}, tensor(node, 1), 0));
  }
  const auto index = known_integers(node, 1);
  if (!index || index->size() != 1) return false;
  const TensorId x = tensor(node, 0);
  const std::int64_t at =
      (*index)[0] < 0 ? (*index)[0] + b_.dim(x, static_cast<int>(axis)) : (*index)[0];
  return give(node, b_.select(unique(node), x, static_cast<int>(axis), at));
}

bool OnnxLowering::expand(const OnnxNode& node) {
  if (is_constant(node, 0) || known_integers(node, 0)) return give_constant(node);
  const TensorId x = tensor(node, 0);
  Ints dims = integers(node, 1);
  if (!dims.empty() && dims[0] == file_batch_) dims[0] = b_.batch();
  return give(node, b_.add_op(unique(node), Expand{TensorShape{std::move(dims)}}, {x}));
}

// Exporters write the padding of an average pooling as an operation of its own.
bool OnnxLowering::pad(const OnnxNode& node) {
  const Ints pads = has_input(node, 1) ? integers(node, 1) : integers_of(node, "pads", {});
  const TensorId x = tensor(node, 0);
  if (std::all_of(pads.begin(), pads.end(), [](std::int64_t p) { return p == 0; })) {
    return give(node, x);
  }
  const OnnxNode* next = only_consumer(node.outputs[0]);
  if (pads.size() != 8 || next == nullptr || next->op != "AveragePool") return false;
  if (pads[0] + pads[1] + pads[4] + pads[5] != 0 || pads[2] != pads[6] || pads[3] != pads[7]) {
    fail(node, "padding differs between the sides");
  }
  give(node, x);
  values_[node.outputs[0]].padding = {pads[2], pads[3]};
  return true;
}

bool OnnxLowering::reduce_mean(const OnnxNode& node) {
  if (layer_normalization(node)) return true;
  const TensorId x = tensor(node, 0);
  const Ints at = axes(node, b_.shape(x).dims.size());
  const bool keeps = integer(node, "keepdims", 1) != 0;
  if (at == Ints{2, 3} && b_.shape(x).dims.size() == 4) {
    const TensorId mean = b_.global_average_pool(unique(node), x);
    return give(node, keeps ? mean : b_.flatten(unique(node) + ".flatten", mean, 1));
  }
  if (at.size() != 1 || keeps) return false;
  return give(node, b_.add_op(unique(node), Mean{static_cast<int>(at[0])}, {x}));
}

}  // namespace paceline
