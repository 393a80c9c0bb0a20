#include "model/import/workload_operations.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/units_text.h"

namespace paceline {
namespace {

constexpr int kLayers = 1000;  // the deepest networks published
constexpr double kMostWeights = 1e15;

// No operation has this many weights; a file that asks for them holds a typing error.
void check_weights(const WorkloadCall& c, const char* key,
                   std::initializer_list<std::int64_t> factors) {
  double weights = 1;
  for (const std::int64_t factor : factors) weights *= static_cast<double>(factor);
  if (weights > kMostWeights) {
    c.object.fail(key, "makes " + significant(weights, 3) + " weights; at most " +
                           significant(kMostWeights, 1) + " are possible");
  }
}

// More padding than half a window would make windows of nothing but padding.
PoolOptions pool(const WorkloadCall& c) {
  const std::int64_t kernel = c.size("kernel");
  return {.kernel = kernel,
          .stride = c.size("stride", kernel),
          .pad = c.padding(kernel / 2),
          .ceil_mode = c.flag("ceil_mode", false)};
}

TensorId convolution(const WorkloadCall& c) {
  const std::int64_t channels = c.b.shape(c.in[0]).dims.size() == 4 ? c.b.dim(c.in[0], 1) : 1;
  const ConvOptions options{.out_channels = c.size("out_channels"),
                            .kernel = c.size("kernel"),
                            .stride = c.size("stride", 1),
                            .pad = c.padding(JsonObject::kMostOfACount),
                            .groups = c.size("groups", 1),
                            .bias = c.flag("bias", true)};
  check_weights(c, "kernel", {channels, options.out_channels, options.kernel, options.kernel});
  return c.b.conv(c.name, c.in[0], options);
}

template <Activation kind>
TensorId activation(const WorkloadCall& c) {
  return c.b.activate(c.name, c.in[0], kind, c.flag("in_place", false));
}

template <RnnCell cell>
TensorId recurrent(const WorkloadCall& c) {
  const Rnn options{.cell = cell,
                    .hidden = c.size("hidden"),
                    .layers = c.object.count_or("layers", 1, 1, kLayers),
                    .bidirectional = c.flag("bidirectional", false),
                    .bias_sets = c.object.count_or("bias_sets", 2, 0, 2)};
  check_weights(c, "hidden", {8, options.hidden, options.hidden + c.b.dim(c.in[0], -1)});
  return c.b.rnn(c.name, c.in[0], options);
}

TensorId permute(const WorkloadCall& c) {
  std::vector<int> axes;
  for (const std::int64_t axis : c.object.integers("axes")) {
    if (axis < 0 || axis > WorkloadCall::kMostAxes) {
      c.object.fail("axes", "has an axis " + std::to_string(axis) + "; axes count from 0");
    }
    axes.push_back(static_cast<int>(axis));
  }
  return c.b.permute(c.name, c.in[0], std::move(axes));
}

}  // namespace

// Numbers, "batch" or "seq"; -1 is not accepted, every shape is written out.
WorkloadBuilder::Dims read_workload_shape(JsonObject& object, const char* key,
                                          const WorkloadConfig& config) {
  WorkloadBuilder::Dims dims;
  const nlohmann::json& values = object.raw(key);
  if (!values.is_array()) object.fail(key, "is not an array of dimensions");
  for (const nlohmann::json& value : values) {
    if (value.is_number_integer() && value.get<std::int64_t>() > 0) {
      dims.push_back(value.get<std::int64_t>());
    } else if (value == "batch") {
      dims.push_back(config.batch);
    } else if (value == "seq" && config.seq > 0) {
      dims.push_back(config.seq);
    } else {
      object.fail(key, "has a dimension " + value.dump() +
                           "; allowed: positive integers, \"batch\", and \"seq\" if the file has "
                           "a default_seq");
    }
  }
  return dims;
}

const std::map<std::string, WorkloadOperation>& workload_operations() {
  static const std::map<std::string, WorkloadOperation> table = {
      {"linear",
       {1,
        [](const WorkloadCall& c) {
          const std::int64_t out = c.size("out_features");
          check_weights(c, "out_features", {c.b.dim(c.in[0], -1), out});
          return c.b.linear(c.name, c.in[0], out, c.flag("bias", true));
        }}},
      {"matmul",
       {2,
        [](const WorkloadCall& c) {
          return c.b.matmul(c.name, c.in[0], c.in[1], c.flag("trans_a", false),
                            c.flag("trans_b", false));
        }}},
      {"conv2d", {1, convolution}},
      {"batch_norm", {1, [](const WorkloadCall& c) { return c.b.batch_norm(c.name, c.in[0]); }}},
      {"layer_norm", {1, [](const WorkloadCall& c) { return c.b.layer_norm(c.name, c.in[0]); }}},
      {"rms_norm", {1, [](const WorkloadCall& c) { return c.b.rms_norm(c.name, c.in[0]); }}},
      {"relu", {1, activation<Activation::kRelu>}},
      {"sigmoid", {1, activation<Activation::kSigmoid>}},
      {"tanh", {1, activation<Activation::kTanh>}},
      {"gelu", {1, activation<Activation::kGelu>}},
      {"silu", {1, activation<Activation::kSilu>}},
      {"max_pool2d",
       {1, [](const WorkloadCall& c) { return c.b.max_pool(c.name, c.in[0], pool(c)); }}},
      {"average_pool2d",
       {1, [](const WorkloadCall& c) { return c.b.average_pool(c.name, c.in[0], pool(c)); }}},
      {"global_average_pool2d",
       {1, [](const WorkloadCall& c) { return c.b.global_average_pool(c.name, c.in[0]); }}},
      {"softmax", {1, [](const WorkloadCall& c) { return c.b.softmax(c.name, c.in[0]); }}},
      {"scale", {1, [](const WorkloadCall& c) { return c.b.add_op(c.name, Scale{}, c.in); }}},
      {"causal_mask",
       {1, [](const WorkloadCall& c) { return c.b.add_op(c.name, CausalMask{}, c.in); }}},
      {"dropout",
       {1,
        [](const WorkloadCall& c) {
          const double p = c.object.number("probability");
          if (!(p >= 0 && p < 1)) c.object.fail("probability", "is not from 0 up to 1");
          return c.b.dropout(c.name, c.in[0], p);
        }}},
      {"add",
       {2,
        [](const WorkloadCall& c) {
          return c.b.add(c.name, c.in[0], c.in[1], c.flag("in_place", false));
        }}},
      {"multiply",
       {2, [](const WorkloadCall& c) { return c.b.multiply(c.name, c.in[0], c.in[1]); }}},
      {"concat",
       {0, [](const WorkloadCall& c) { return c.b.concat(c.name, c.in, c.axis("axis", 1)); }}},
      {"flatten",
       {1,
        [](const WorkloadCall& c) {
          const auto rank = static_cast<int>(c.b.shape(c.in[0]).dims.size());
          return c.b.flatten(
              c.name, c.in[0],
              static_cast<std::size_t>(c.object.count_or("first", 1, 0, std::max(rank - 1, 0))));
        }}},
      {"reshape",
       {1,
        [](const WorkloadCall& c) {
          return c.b.reshape(c.name, c.in[0], read_workload_shape(c.object, "shape", c.config));
        }}},
      {"permute", {1, permute}},
      {"embedding",
       {1,
        [](const WorkloadCall& c) {
          const std::int64_t rows = c.size("rows");
          const std::int64_t width = c.size("width");
          check_weights(c, "rows", {rows, width});
          return c.b.embedding(c.name, c.in[0], rows, width);
        }}},
      {"rnn", {1, recurrent<RnnCell::kRnn>}},
      {"gru", {1, recurrent<RnnCell::kGru>}},
      {"lstm", {1, recurrent<RnnCell::kLstm>}},
      {"cross_entropy",
       {2, [](const WorkloadCall& c) { return c.b.cross_entropy(c.name, c.in[0], c.in[1]); }}},
      {"mean_squared_error", {2, [](const WorkloadCall& c) {
                                return c.b.loss(c.name, LossKind::kMeanSquaredError, c.in);
                              }}}};
  return table;
}

}  // namespace paceline
