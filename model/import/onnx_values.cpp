// OnnxLowering: names, constants and attributes.
#include "core/error.h"
#include "model/graph/work.h"
#include "model/import/onnx_lowering.h"

namespace paceline {
namespace {

constexpr std::int64_t kMostExtent = 1'000'000'000;  // of a window, a step or a padding

}  // namespace

std::string OnnxLowering::unique(const OnnxNode& node) const {
  if (!node.name.empty()) return node.name;
  return node.outputs.empty() ? node.op : node.op + "_" + node.outputs[0];
}

bool OnnxLowering::has_input(const OnnxNode& node, std::size_t input) const {
  return input < node.inputs.size() && !node.inputs[input].empty();
}

const OnnxTensor* OnnxLowering::weight(const OnnxNode& node, std::size_t input) const {
  if (!has_input(node, input)) return nullptr;
  const auto found = weights_.find(node.inputs[input]);
  return found == weights_.end() ? nullptr : &found->second;
}

const OnnxTensor& OnnxLowering::required_weight(const OnnxNode& node, std::size_t input) const {
  const OnnxTensor* found = weight(node, input);
  if (found == nullptr) {
    fail(node, "input " + std::to_string(input) + " is not a stored weight");
  }
  return *found;
}

const OnnxLowering::Value* OnnxLowering::value(const OnnxNode& node, std::size_t input) const {
  if (!has_input(node, input)) return nullptr;
  const auto found = values_.find(node.inputs[input]);
  return found == values_.end() ? nullptr : &found->second;
}

bool OnnxLowering::is_constant(const OnnxNode& node, std::size_t input) const {
  const Value* found = value(node, input);
  return found != nullptr && found->constant;
}

std::optional<double> OnnxLowering::real(const OnnxNode& node, std::size_t input) const {
  if (!has_input(node, input)) return std::nullopt;
  if (const auto found = reals_.find(node.inputs[input]); found != reals_.end()) {
    return found->second;
  }
  const OnnxTensor* stored = weight(node, input);
  if (stored != nullptr && stored->reals.size() == 1) return stored->reals[0];
  return std::nullopt;
}

bool OnnxLowering::is_scalar(const OnnxNode& node, std::size_t input) const {
  if (real(node, input)) return true;
  const auto ints = known_integers(node, input);
  return ints && ints->size() == 1;
}

// A weight that an operation reads like an activation (learned positions) is a parameter of its
// own.
TensorId OnnxLowering::tensor(const OnnxNode& node, std::size_t input) {
  if (!has_input(node, input)) fail(node, "has no input " + std::to_string(input));
  const std::string& name = node.inputs[input];
  if (const auto found = values_.find(name); found != values_.end() && found->second.tensor) {
    return *found->second.tensor;
  }
  const auto stored = weights_.find(name);
  if (stored == weights_.end() || stored->second.integer) {
    fail(node, "input " + name + " is a constant that no tensor is made of here");
  }
  const TensorId made = b_.parameter(name, stored->second.dims);
  values_[name].tensor = made;
  return made;
}

std::optional<OnnxLowering::Ints> OnnxLowering::known_integers(const OnnxNode& node,
                                                               std::size_t input) const {
  if (const Value* found = value(node, input); found != nullptr && found->integers) {
    return found->integers;
  }
  const OnnxTensor* stored = weight(node, input);
  if (stored == nullptr || !stored->integer || stored->integers.empty()) return std::nullopt;
  return stored->integers;
}

OnnxLowering::Ints OnnxLowering::integers(const OnnxNode& node, std::size_t input) const {
  const auto known = known_integers(node, input);
  if (!known) {
    fail(node, "input " + std::to_string(input) +
                   " depends on the data; only shapes known beforehand are supported");
  }
  return *known;
}

std::int64_t OnnxLowering::integer(const OnnxNode& node, const std::string& name,
                                   std::int64_t fallback) {
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? fallback : found->second.integer;
}

OnnxLowering::Ints OnnxLowering::integers_of(const OnnxNode& node, const std::string& name,
                                             Ints fallback) {
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? fallback : found->second.integers;
}

// An attribute before opset 13, an input after; negative ones count from the end.
OnnxLowering::Ints OnnxLowering::axes(const OnnxNode& node, std::size_t rank) const {
  Ints result = has_input(node, 1) ? integers(node, 1) : integers_of(node, "axes", {});
  for (std::int64_t& axis : result) {
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
  }
  return result;
}

// One number for the height and one for the width.
OnnxLowering::Ints OnnxLowering::pair_of(const OnnxNode& node, const std::string& name,
                                         std::int64_t fallback) const {
  const Ints found = integers_of(node, name, {fallback, fallback});
  if (found.size() != 2) fail(node, name + " is not one number for each of two dimensions");
  for (const std::int64_t number : found) {
    if (number < fallback || number > kMostExtent) {
      fail(node, name + " of " + std::to_string(number));
    }
  }
  return found;
}

OnnxLowering::Ints OnnxLowering::symmetric_pads(const OnnxNode& node) const {
  const auto auto_pad = node.attributes.find("auto_pad");
  if (auto_pad != node.attributes.end() && auto_pad->second.text != "NOTSET") {
    fail(node, "auto_pad \"" + auto_pad->second.text + "\" is not supported");
  }
  const Ints pads = integers_of(node, "pads", {0, 0, 0, 0});
  if (pads.size() != 4) fail(node, "only images of two dimensions are supported");
  for (const std::int64_t pad : pads) {
    if (pad < 0 || pad > kMostExtent) fail(node, "a padding of " + std::to_string(pad));
  }
  if (pads[0] != pads[2] || pads[1] != pads[3]) fail(node, "padding differs between the sides");
  return {pads[0], pads[1]};
}

void OnnxLowering::require_default(const OnnxNode& node, const std::string& name,
                                   const Ints& allowed) const {
  if (integers_of(node, name, allowed) != allowed) {
    fail(node, name + " other than 1 is not supported");
  }
}

const OnnxNode* OnnxLowering::only_consumer(const std::string& name) const {
  const auto found = consumers_.find(name);
  return found != consumers_.end() && found->second.size() == 1 ? found->second[0] : nullptr;
}

bool OnnxLowering::give(const OnnxNode& node, TensorId tensor) {
  values_[node.outputs[0]].tensor = tensor;
  return true;
}

bool OnnxLowering::give_integers(const OnnxNode& node, Ints values, bool scalar) {
  Value& value = values_[node.outputs[0]];
  value.integers = std::move(values);
  value.scalar = scalar;
  return true;
}

bool OnnxLowering::give_constant(const OnnxNode& node) {
  values_[node.outputs[0]].constant = true;
  return true;
}

// An operation with a stored weight; the second use of a weight shares the first one's.
TensorId OnnxLowering::layer(const OnnxNode& node, OpAttributes attributes, TensorId x,
                             std::size_t weight_input) {
  const TensorId y = b_.add_op(unique(node), std::move(attributes), {x});
  const std::string& name = node.inputs[weight_input];
  const auto root = weight_root_.find(name);
  const auto [owner, is_new] =
      weight_owner_.try_emplace(root == weight_root_.end() ? name : root->second, unique(node));
  if (!is_new) b_.share_weight_with(owner->second);
  return y;
}

// Frameworks' definitions apply ReLU in place; it is allowed where nothing else reads the input.
bool OnnxLowering::can_work_in_place(const OnnxNode& node, TensorId x) const {
  const WorkloadGraph& graph = b_.graph();
  if (only_consumer(node.inputs[0]) == nullptr || graph.tensor(x).alias_of) return false;
  for (const Op& op : graph.ops()) {
    if (op.output != x) continue;
    for (const SavedBuffer& buffer : saved_buffers(graph, op)) {
      if (buffer.tensor == x) return false;
    }
    return true;
  }
  return false;  // the network's input
}

// A shape written into the file for its own batch, for the builder's: the outermost dimension that
// the file's batch divides changes.
OnnxLowering::Ints OnnxLowering::rescaled(Ints dims, std::int64_t elements) const {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) {
    if (__builtin_mul_overflow(product, dim, &product)) fail("a shape has too many elements");
  }
  if (product == elements) return dims;
  for (std::int64_t& dim : dims) {
    if (dim <= 0 || dim % file_batch_ != 0) continue;
    if (product / dim * (dim / file_batch_ * b_.batch()) == elements) {
      dim = dim / file_batch_ * b_.batch();
      return dims;
    }
  }
  return dims;
}

}  // namespace paceline
