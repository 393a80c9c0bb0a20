// OnnxLowering: operators with weights, pooling and activations.
#include "model/import/onnx_lowering.h"

namespace paceline {

bool OnnxLowering::convolution(const OnnxNode& node) {
  const OnnxTensor& w = required_weight(node, 1);
  if (w.dims.size() != 4) fail(node, "only images of two dimensions are supported");
  require_default(node, "dilations", {1, 1});
  const Ints pads = symmetric_pads(node), strides = pair_of(node, "strides", 1);
  const std::int64_t groups = integer(node, "group", 1);
  if (groups < 1 || groups > w.dims[0]) fail(node, std::to_string(groups) + " groups");
  return give(node, layer(node,
                          Conv2d{.in_channels = w.dims[1] * groups,
                                 .out_channels = w.dims[0],
                                 .kernel_h = w.dims[2],
                                 .kernel_w = w.dims[3],
                                 .stride_h = strides[0],
                                 .stride_w = strides[1],
                                 .pad_h = pads[0],
                                 .pad_w = pads[1],
                                 .groups = groups,
                                 .bias = has_input(node, 2)},
                          tensor(node, 0), 1));
}

bool OnnxLowering::transposed_convolution(const OnnxNode& node) {
  const OnnxTensor& w = required_weight(node, 1);
  if (w.dims.size() != 4) fail(node, "only images of two dimensions are supported");
  require_default(node, "dilations", {1, 1});
  const Ints pads = symmetric_pads(node), strides = pair_of(node, "strides", 1);
  const Ints more = pair_of(node, "output_padding", 0);
  if (w.dims[2] != w.dims[3] || strides[0] != strides[1] || pads[0] != pads[1] ||
      more[0] != more[1] || integer(node, "group", 1) != 1) {
    fail(node, "only square windows without groups are supported");
  }
  return give(node, layer(node,
                          ConvTranspose2d{.in_channels = w.dims[0],
                                          .out_channels = w.dims[1],
                                          .kernel = w.dims[2],
                                          .stride = strides[0],
                                          .pad = pads[0],
                                          .output_pad = more[0],
                                          .bias = has_input(node, 2)},
                          tensor(node, 0), 1));
}

bool OnnxLowering::pooling(const OnnxNode& node) {
  require_default(node, "dilations", {1, 1});
  const Ints kernel = integers_of(node, "kernel_shape", {}), pads = symmetric_pads(node);
  const Ints strides = pair_of(node, "strides", 1);
  if (kernel.size() != 2) fail(node, "only images of two dimensions are supported");
  const Value* input = value(node, 0);
  const Ints before = input != nullptr && !input->padding.empty() ? input->padding : Ints{0, 0};
  return give(node,
              b_.add_op(unique(node),
                        Pool2d{.kind = node.op == "MaxPool" ? Pooling::kMax : Pooling::kAverage,
                               .kernel_h = kernel[0],
                               .kernel_w = kernel[1],
                               .stride_h = strides[0],
                               .stride_w = strides[1],
                               .pad_h = pads[0] + before[0],
                               .pad_w = pads[1] + before[1],
                               .ceil_mode = integer(node, "ceil_mode", 0) != 0},
                        {tensor(node, 0)}));
}

bool OnnxLowering::global_pooling(const OnnxNode& node) {
  return give(node, b_.global_average_pool(unique(node), tensor(node, 0)));
}

bool OnnxLowering::normalization(const OnnxNode& node) {
  const bool batch = node.op == "BatchNormalization";
  const OnnxTensor& scale = required_weight(node, 1);
  if (scale.dims.size() != 1) fail(node, "only normalisation over one dimension is supported");
  return give(node, layer(node,
                          Norm{.kind = batch ? Normalization::kBatch : Normalization::kLayer,
                               .features = scale.dims[0],
                               .shift = has_input(node, 2)},
                          tensor(node, 0), 1));
}

// mean, x - mean, its square, mean, + epsilon, root, quotient, * weight, + bias: how exporters
// write layer normalisation before opset 17.
bool OnnxLowering::layer_normalization(const OnnxNode& node) {
  const OnnxNode* difference = only_consumer(node.outputs[0]);
  if (difference == nullptr || difference->op != "Sub" || difference->inputs[0] != node.inputs[0]) {
    return false;
  }
  const auto& readers = consumers_[difference->outputs[0]];
  if (readers.size() != 2) return false;
  const OnnxNode* square = readers[readers[0]->op == "Pow" ? 0 : 1];
  std::vector<const OnnxNode*> chain = {difference, square};
  for (const std::string op : {"ReduceMean", "Add", "Sqrt", "Div", "Mul", "Add"}) {
    const OnnxNode* next = only_consumer(chain.back()->outputs[0]);
    if (next == nullptr || next->op != op) return false;
    chain.push_back(next);
  }
  const OnnxNode& scaled = *chain[6];
  const std::size_t scale_input = scaled.inputs[0] == chain[5]->outputs[0] ? 1 : 0;
  const OnnxTensor* scale = weight(scaled, scale_input);
  if (square->op != "Pow" || scale == nullptr || scale->dims.size() != 1) return false;
  joined_.insert(chain.begin(), chain.end());
  return give(*chain.back(),
              layer(scaled, Norm{.kind = Normalization::kLayer, .features = scale->dims[0]},
                    tensor(node, 0), scale_input));
}

bool OnnxLowering::response_normalization(const OnnxNode& node) {
  return give(node, b_.add_op(unique(node), LocalResponseNorm{integer(node, "size", 5)},
                              {tensor(node, 0)}));
}

bool OnnxLowering::gemm(const OnnxNode& node) {
  const OnnxTensor& w = required_weight(node, 1);
  if (w.dims.size() != 2 || integer(node, "transA", 0) != 0) return false;
  const bool transposed = integer(node, "transB", 0) != 0;
  return give(node, layer(node,
                          Linear{.in_features = w.dims[transposed ? 1 : 0],
                                 .out_features = w.dims[transposed ? 0 : 1],
                                 .bias = has_input(node, 2)},
                          tensor(node, 0), 1));
}

// With a stored second operand it is a Linear, and an Add of a stored vector behind it is its bias.
bool OnnxLowering::matmul(const OnnxNode& node) {
  const OnnxTensor* w = weight(node, 1);
  if (w == nullptr) return give(node, b_.matmul(unique(node), tensor(node, 0), tensor(node, 1)));
  if (w->dims.size() != 2) return false;
  Linear linear{.in_features = w->dims[0], .out_features = w->dims[1], .bias = false};
  const OnnxNode* next = only_consumer(node.outputs[0]);
  if (next != nullptr && next->op == "Add") {
    const std::size_t other = next->inputs[0] == node.outputs[0] ? 1 : 0;
    const OnnxTensor* bias = weight(*next, other);
    linear.bias = bias != nullptr && bias->dims == Ints{linear.out_features};
  }
  const TensorId y = layer(node, linear, tensor(node, 0), 1);
  if (linear.bias) {
    joined_.insert(next);
    give(*next, y);
  }
  return give(node, y);
}

// Steps x batch x features in; steps x directions x batch x hidden out.
bool OnnxLowering::recurrent(const OnnxNode& node) {
  const OnnxTensor& w = required_weight(node, 1);
  const OnnxTensor& r = required_weight(node, 2);
  if (w.dims.size() != 3 || r.dims.size() != 3) return false;
  if (integer(node, "layout", 0) != 0) fail(node, "layout 1 is not supported");
  const std::int64_t hidden = r.dims[2], directions = w.dims[0];
  const RnnCell cell = node.op == "LSTM"  ? RnnCell::kLstm
                       : node.op == "GRU" ? RnnCell::kGru
                                          : RnnCell::kRnn;
  const TensorId y = layer(node,
                           Rnn{.cell = cell,
                               .input = w.dims[2],
                               .hidden = hidden,
                               .bidirectional = directions == 2,
                               .bias_sets = has_input(node, 3) ? 2 : 0},
                           tensor(node, 0), 1);
  const std::int64_t steps = b_.dim(y, 0), batch = b_.dim(y, 1);
  TensorId split = b_.reshape(unique(node) + ".split", y, {steps, batch, directions, hidden});
  split = b_.permute(unique(node) + ".directions", split, {0, 2, 1, 3});
  for (std::size_t i = 1; i < node.outputs.size(); ++i) {
    if (consumers_.contains(node.outputs[i])) fail(node, "its final state is read");
  }
  return give(node, split);
}

bool OnnxLowering::activation(const OnnxNode& node) {
  const TensorId x = tensor(node, 0);
  Activate attributes{.kind = Activation::kRelu, .in_place = can_work_in_place(node, x)};
  if (node.op == "Clip") {
    const auto low = real(node, 1), high = real(node, 2);
    if (low != 0.0 || high != 6.0) fail(node, "limits other than 0 and 6 are not supported");
    attributes.kind = Activation::kRelu6;
  } else if (node.op == "Sigmoid" || node.op == "Tanh") {
    attributes.kind = node.op == "Tanh" ? Activation::kTanh : Activation::kSigmoid;
    attributes.in_place = false;
  } else if (node.op == "LeakyRelu") {
    attributes.kind = Activation::kLeakyRelu;
  }
  return give(node, b_.add_op(unique(node), attributes, {x}));
}

bool OnnxLowering::softmax(const OnnxNode& node) {
  const TensorId x = tensor(node, 0);
  const auto last = static_cast<std::int64_t>(b_.shape(x).dims.size()) - 1;
  const std::int64_t axis = integer(node, "axis", -1);
  if (axis != -1 && axis != last) fail(node, "only the last dimension is supported");
  return give(node, b_.softmax(unique(node), x));
}

bool OnnxLowering::dropout(const OnnxNode& node) {
  const double ratio = real(node, 1).value_or(0.5);
  if (!(ratio >= 0 && ratio < 1)) fail(node, "its ratio is not a probability");
  return give(node, b_.dropout(unique(node), tensor(node, 0), ratio));
}

}  // namespace paceline
