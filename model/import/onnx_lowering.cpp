#include "model/import/onnx_lowering.h"

#include "core/error.h"

namespace paceline {

const std::map<std::string, OnnxLowering::Handler>& OnnxLowering::handlers() {
  using L = OnnxLowering;
  static const std::map<std::string, Handler> table = {
      {"Conv", &L::convolution},
      {"ConvTranspose", &L::transposed_convolution},
      {"MaxPool", &L::pooling},
      {"AveragePool", &L::pooling},
      {"GlobalAveragePool", &L::global_pooling},
      {"BatchNormalization", &L::normalization},
      {"LayerNormalization", &L::normalization},
      {"LRN", &L::response_normalization},
      {"Gemm", &L::gemm},
      {"MatMul", &L::matmul},
      {"LSTM", &L::recurrent},
      {"GRU", &L::recurrent},
      {"RNN", &L::recurrent},
      {"Relu", &L::activation},
      {"Clip", &L::activation},
      {"Sigmoid", &L::activation},
      {"Tanh", &L::activation},
      {"LeakyRelu", &L::activation},
      {"Softmax", &L::softmax},
      {"Dropout", &L::dropout},
      {"Add", &L::arithmetic},
      {"Sub", &L::arithmetic},
      {"Mul", &L::arithmetic},
      {"Div", &L::arithmetic},
      {"Erf", nullptr},  // only as parts of GELU and of layer normalisation
      {"Pow", &L::scalar_function},
      {"Sqrt", &L::scalar_function},
      {"Constant", &L::constant},
      {"ConstantOfShape", &L::constant},
      {"Shape", &L::shape_of},
      {"Identity", &L::identity},
      {"Cast", &L::identity},
      {"Concat", &L::concat},
      {"Reshape", &L::reshape},
      {"Flatten", &L::reshape},
      {"Squeeze", &L::squeeze},
      {"Unsqueeze", &L::squeeze},
      {"Transpose", &L::transpose},
      {"Split", &L::split},
      {"Slice", &L::slice},
      {"Gather", &L::gather},
      {"Expand", &L::expand},
      {"Pad", &L::pad},
      {"ReduceMean", &L::reduce_mean}};
  return table;
}

OnnxLowering::OnnxLowering(WorkloadBuilder& builder, const OnnxGraph& graph, std::string file)
    : b_(builder), graph_(graph), file_(std::move(file)), weights_(graph.weights) {}

void OnnxLowering::fail(const std::string& message) const {
  throw InputError(file_ + ": " + message);
}

void OnnxLowering::fail(const OnnxNode& node, const std::string& message) const {
  fail("node " + unique(node) + " (" + node.op + "): " + message);
}

void OnnxLowering::run() {
  check_operators();
  check_order();
  count_uses();
  add_inputs();
  for (const OnnxNode& node : graph_.nodes) {
    if (!joined_.contains(&node)) lower(node);
  }
  add_losses();
}

void OnnxLowering::check_operators() const {
  std::set<std::string> unknown;
  for (const OnnxNode& node : graph_.nodes) {
    if (!handlers().contains(node.op)) unknown.insert(node.op);
  }
  if (unknown.empty()) return;
  std::string list;
  for (const std::string& op : unknown) {
    list += (list.empty() ? "" : ", ") + (op.empty() ? "(no name)" : op);
  }
  fail("unsupported operators: " + list);
}

// The format demands that every value is made before it is read; a cycle cannot satisfy that.
void OnnxLowering::check_order() const {
  std::set<std::string> made, later;
  for (const OnnxInput& input : graph_.inputs) made.insert(input.name);
  for (const auto& entry : graph_.weights) made.insert(entry.first);
  for (const OnnxNode& node : graph_.nodes) {
    for (const std::string& output : node.outputs) later.insert(output);
  }
  for (const OnnxNode& node : graph_.nodes) {
    if (node.inputs.empty() && node.op != "Constant") fail(node, "has no input");
    for (const std::string& input : node.inputs) {
      if (input.empty() || made.contains(input)) continue;
      fail(node, later.contains(input)
                     ? "reads \"" + input + "\" before it is made: the graph has a cycle"
                     : "reads \"" + input + "\", which nothing makes");
    }
    if (node.outputs.empty()) fail(node, "has no output");
    for (const std::string& output : node.outputs) made.insert(output);
  }
}

void OnnxLowering::count_uses() {
  for (const OnnxNode& node : graph_.nodes) {
    for (const std::string& input : node.inputs) consumers_[input].push_back(&node);
  }
}

void OnnxLowering::add_inputs() {
  if (graph_.inputs.empty() || graph_.inputs[0].dims.empty()) fail("has no input with a batch");
  file_batch_ = graph_.inputs[0].dims[0];
  for (const OnnxInput& input : graph_.inputs) {
    Ints dims = input.dims;
    if (b_.batch() != file_batch_) {
      if (dims.empty() || dims[0] != file_batch_) {
        fail("was exported for a batch of " + std::to_string(file_batch_) +
             " and its inputs differ in their first dimension; use that batch");
      }
      dims[0] = b_.batch();
    }
    values_[input.name].tensor =
        input.integer ? b_.integer_input(input.name, dims) : b_.input(input.name, dims);
  }
}

void OnnxLowering::lower(const OnnxNode& node) {
  if (derive_weight(node)) return;
  const Handler handler = handlers().at(node.op);
  if (handler == nullptr || !(this->*handler)(node)) {
    fail(node, "this use of the operator is not supported");
  }
}

void OnnxLowering::add_losses() {
  std::optional<TensorId> total;
  std::map<Ints, TensorId> classes;  // outputs with the same rows are compared to the same classes
  for (const std::string& name : graph_.outputs) {
    const auto found = values_.find(name);
    if (found == values_.end() || !found->second.tensor) continue;
    const TensorId logits = *found->second.tensor;
    Ints rows = b_.shape(logits).dims;
    if (rows.empty()) continue;
    rows.pop_back();
    if (!classes.contains(rows)) classes[rows] = b_.integer_input("classes." + name, rows);
    const TensorId loss = b_.cross_entropy("loss." + name, logits, classes[rows]);
    total = total ? b_.add("total_loss." + name, *total, loss) : loss;
  }
  if (!total) fail("has no output that a loss can be computed from");
}

}  // namespace paceline
