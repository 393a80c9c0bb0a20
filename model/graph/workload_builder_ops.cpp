// The functions of WorkloadBuilder that fill in an operation's attributes.
#include "core/error.h"
#include "model/graph/workload_builder.h"

namespace paceline {

TensorId WorkloadBuilder::linear(const std::string& name, TensorId x, std::int64_t out, bool bias) {
  return add_op(name, Linear{.in_features = dim(x, -1), .out_features = out, .bias = bias}, {x});
}

TensorId WorkloadBuilder::matmul(const std::string& name, TensorId a, TensorId b, bool trans_a,
                                 bool trans_b) {
  return add_op(name, Matmul{.trans_a = trans_a, .trans_b = trans_b}, {a, b});
}

TensorId WorkloadBuilder::conv(const std::string& name, TensorId x, const ConvOptions& options) {
  return conv_window(name, x,
                     Conv2d{.out_channels = options.out_channels,
                            .kernel_h = options.kernel,
                            .kernel_w = options.kernel,
                            .stride_h = options.stride,
                            .stride_w = options.stride,
                            .pad_h = options.pad,
                            .pad_w = options.pad,
                            .groups = options.groups,
                            .bias = options.bias});
}

TensorId WorkloadBuilder::conv_window(const std::string& name, TensorId x, Conv2d attributes) {
  attributes.in_channels = dim(x, 1);
  return add_op(name, attributes, {x});
}

TensorId WorkloadBuilder::batch_norm(const std::string& name, TensorId x) {
  return add_op(name, Norm{.kind = Normalization::kBatch, .features = dim(x, 1)}, {x});
}

TensorId WorkloadBuilder::layer_norm(const std::string& name, TensorId x) {
  return add_op(name, Norm{.kind = Normalization::kLayer, .features = dim(x, -1)}, {x});
}

TensorId WorkloadBuilder::rms_norm(const std::string& name, TensorId x) {
  return add_op(name, Norm{.kind = Normalization::kRms, .features = dim(x, -1), .shift = false},
                {x});
}

TensorId WorkloadBuilder::activate(const std::string& name, TensorId x, Activation kind,
                                   bool in_place) {
  return add_op(name, Activate{.kind = kind, .in_place = in_place}, {x});
}

TensorId WorkloadBuilder::relu(const std::string& name, TensorId x, bool in_place) {
  return activate(name, x, Activation::kRelu, in_place);
}

namespace {

Pool2d pool(Pooling kind, const PoolOptions& options) {
  return {.kind = kind,
          .kernel_h = options.kernel,
          .kernel_w = options.kernel,
          .stride_h = options.stride,
          .stride_w = options.stride,
          .pad_h = options.pad,
          .pad_w = options.pad,
          .ceil_mode = options.ceil_mode};
}

}  // namespace

TensorId WorkloadBuilder::max_pool(const std::string& name, TensorId x,
                                   const PoolOptions& options) {
  return add_op(name, pool(Pooling::kMax, options), {x});
}

TensorId WorkloadBuilder::average_pool(const std::string& name, TensorId x,
                                       const PoolOptions& options) {
  return add_op(name, pool(Pooling::kAverage, options), {x});
}

TensorId WorkloadBuilder::global_average_pool(const std::string& name, TensorId x) {
  return add_op(
      name,
      Pool2d{
          .kind = Pooling::kAverage, .kernel_h = dim(x, 2), .kernel_w = dim(x, 3), .global = true},
      {x});
}

TensorId WorkloadBuilder::softmax(const std::string& name, TensorId x) {
  return add_op(name, Softmax{}, {x});
}

TensorId WorkloadBuilder::dropout(const std::string& name, TensorId x, double probability) {
  return add_op(name, Dropout{.probability = probability}, {x});
}

TensorId WorkloadBuilder::add(const std::string& name, TensorId a, TensorId b, bool in_place) {
  return add_op(name, Add{.in_place = in_place}, {a, b});
}

TensorId WorkloadBuilder::multiply(const std::string& name, TensorId a, TensorId b) {
  return add_op(name, Multiply{}, {a, b});
}

TensorId WorkloadBuilder::concat(const std::string& name, std::vector<TensorId> parts, int axis) {
  return add_op(name, Concat{.axis = axis}, std::move(parts));
}

TensorId WorkloadBuilder::reshape(const std::string& name, TensorId x, Dims dims) {
  return add_op(name, Reshape{TensorShape{std::move(dims)}}, {x});
}

TensorId WorkloadBuilder::flatten(const std::string& name, TensorId x, std::size_t first) {
  return flatten(name, x, first, shape(x).dims.size() - 1);
}

TensorId WorkloadBuilder::flatten(const std::string& name, TensorId x, std::size_t first,
                                  std::size_t last) {
  Dims dims;
  std::int64_t joined = 1;
  for (std::size_t i = 0; i < shape(x).dims.size(); ++i) {
    if (i < first || i > last) {
      dims.push_back(shape(x).dims[i]);
    } else {
      joined *= shape(x).dims[i];
      if (i == last) dims.push_back(joined);
    }
  }
  return reshape(name, x, std::move(dims));
}

TensorId WorkloadBuilder::permute(const std::string& name, TensorId x, std::vector<int> axes) {
  return add_op(name, Permute{std::move(axes)}, {x});
}

TensorId WorkloadBuilder::slice(const std::string& name, TensorId x, int axis, std::int64_t start,
                                std::int64_t length) {
  return add_op(name, Slice{.axis = axis, .start = start, .length = length}, {x});
}

TensorId WorkloadBuilder::select(const std::string& name, TensorId x, int axis,
                                 std::int64_t index) {
  return add_op(name, Slice{.axis = axis, .start = index, .length = 1, .squeeze = true}, {x});
}

TensorId WorkloadBuilder::embedding(const std::string& name, TensorId indices, std::int64_t rows,
                                    std::int64_t width) {
  return add_op(name, Embedding{.rows = rows, .width = width}, {indices});
}

TensorId WorkloadBuilder::parameter(const std::string& name, Dims dims) {
  return add_op(name, TrainableTensor{TensorShape{std::move(dims)}}, {});
}

TensorId WorkloadBuilder::rnn(const std::string& name, TensorId x, Rnn attributes) {
  attributes.input = dim(x, -1);
  return add_op(name, attributes, {x});
}

TensorId WorkloadBuilder::cross_entropy(const std::string& name, TensorId logits,
                                        TensorId classes) {
  return add_op(name, CrossEntropy{}, {logits, classes});
}

TensorId WorkloadBuilder::loss(const std::string& name, LossKind kind,
                               std::vector<TensorId> inputs) {
  return add_op(name, Loss{kind}, std::move(inputs));
}

}  // namespace paceline
