#include "model/import/workload_file.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/json_reader.h"
#include "core/names.h"
#include "core/units_text.h"

namespace paceline {
namespace {

using Dims = WorkloadBuilder::Dims;

constexpr int kAxes = 64;      // beyond any tensor; the builder knows how many it really has
constexpr int kLayers = 1000;  // the deepest networks published
constexpr double kMostWeights = 1e15;

// One operation being read: `object` holds its attributes.
struct Call {
  WorkloadBuilder& b;
  const WorkloadConfig& config;
  JsonObject& object;
  std::string name;
  std::vector<TensorId> in;

  // Extents of layers: positive, and small enough that no product of them leaves 64 bits.
  std::int64_t size(const char* key) const { return object.count(key, 1); }
  std::int64_t size(const char* key, std::int64_t fallback) const {
    return object.has(key) ? size(key) : fallback;
  }
  std::int64_t padding(std::int64_t most) const {
    return object.count_or("pad", 0, 0, static_cast<int>(most));
  }
  int axis(const char* key, int fallback) const { return object.count_or(key, fallback, 0, kAxes); }
  bool flag(const char* key, bool fallback) const { return object.boolean_or(key, fallback); }
};

// Numbers, "batch" or "seq"; -1 is not accepted, every shape is written out.
Dims read_shape(JsonObject& object, const char* key, const WorkloadConfig& config) {
  Dims dims;
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

// No operation has this many weights; a file that asks for them holds a typing error.
void check_weights(const Call& c, const char* key, std::initializer_list<std::int64_t> factors) {
  double weights = 1;
  for (const std::int64_t factor : factors) weights *= static_cast<double>(factor);
  if (weights > kMostWeights) {
    c.object.fail(key, "makes " + significant(weights, 3) + " weights; at most " +
                           significant(kMostWeights, 1) + " are possible");
  }
}

// More padding than half a window would make windows of nothing but padding.
PoolOptions pool(const Call& c) {
  const std::int64_t kernel = c.size("kernel");
  return {.kernel = kernel,
          .stride = c.size("stride", kernel),
          .pad = c.padding(kernel / 2),
          .ceil_mode = c.flag("ceil_mode", false)};
}

TensorId convolution(const Call& c) {
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
TensorId activation(const Call& c) {
  return c.b.activate(c.name, c.in[0], kind, c.flag("in_place", false));
}

template <RnnCell cell>
TensorId recurrent(const Call& c) {
  const Rnn options{.cell = cell,
                    .hidden = c.size("hidden"),
                    .layers = c.object.count_or("layers", 1, 1, kLayers),
                    .bidirectional = c.flag("bidirectional", false),
                    .bias_sets = c.object.count_or("bias_sets", 2, 0, 2)};
  check_weights(c, "hidden", {8, options.hidden, options.hidden + c.b.dim(c.in[0], -1)});
  return c.b.rnn(c.name, c.in[0], options);
}

TensorId permute(const Call& c) {
  std::vector<int> axes;
  for (const std::int64_t axis : c.object.integers("axes")) {
    if (axis < 0 || axis > kAxes) {
      c.object.fail("axes", "has an axis " + std::to_string(axis) + "; axes count from 0");
    }
    axes.push_back(static_cast<int>(axis));
  }
  return c.b.permute(c.name, c.in[0], std::move(axes));
}

struct Kind {
  std::size_t inputs;  // 0: one or more
  TensorId (*add)(const Call&);
};

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> table = {
      {"linear",
       {1,
        [](const Call& c) {
          const std::int64_t out = c.size("out_features");
          check_weights(c, "out_features", {c.b.dim(c.in[0], -1), out});
          return c.b.linear(c.name, c.in[0], out, c.flag("bias", true));
        }}},
      {"matmul",
       {2,
        [](const Call& c) {
          return c.b.matmul(c.name, c.in[0], c.in[1], c.flag("trans_a", false),
                            c.flag("trans_b", false));
        }}},
      {"conv2d", {1, convolution}},
      {"batch_norm", {1, [](const Call& c) { return c.b.batch_norm(c.name, c.in[0]); }}},
      {"layer_norm", {1, [](const Call& c) { return c.b.layer_norm(c.name, c.in[0]); }}},
      {"rms_norm", {1, [](const Call& c) { return c.b.rms_norm(c.name, c.in[0]); }}},
      {"relu", {1, activation<Activation::kRelu>}},
      {"sigmoid", {1, activation<Activation::kSigmoid>}},
      {"tanh", {1, activation<Activation::kTanh>}},
      {"gelu", {1, activation<Activation::kGelu>}},
      {"silu", {1, activation<Activation::kSilu>}},
      {"max_pool2d", {1, [](const Call& c) { return c.b.max_pool(c.name, c.in[0], pool(c)); }}},
      {"average_pool2d",
       {1, [](const Call& c) { return c.b.average_pool(c.name, c.in[0], pool(c)); }}},
      {"global_average_pool2d",
       {1, [](const Call& c) { return c.b.global_average_pool(c.name, c.in[0]); }}},
      {"softmax", {1, [](const Call& c) { return c.b.softmax(c.name, c.in[0]); }}},
      {"scale", {1, [](const Call& c) { return c.b.add_op(c.name, Scale{}, c.in); }}},
      {"causal_mask", {1, [](const Call& c) { return c.b.add_op(c.name, CausalMask{}, c.in); }}},
      {"dropout",
       {1,
        [](const Call& c) {
          const double p = c.object.number("probability");
          if (!(p >= 0 && p < 1)) c.object.fail("probability", "is not from 0 up to 1");
          return c.b.dropout(c.name, c.in[0], p);
        }}},
      {"add",
       {2,
        [](const Call& c) {
          return c.b.add(c.name, c.in[0], c.in[1], c.flag("in_place", false));
        }}},
      {"multiply", {2, [](const Call& c) { return c.b.multiply(c.name, c.in[0], c.in[1]); }}},
      {"concat", {0, [](const Call& c) { return c.b.concat(c.name, c.in, c.axis("axis", 1)); }}},
      {"flatten",
       {1,
        [](const Call& c) {
          return c.b.flatten(c.name, c.in[0], static_cast<std::size_t>(c.axis("first", 1)));
        }}},
      {"reshape",
       {1,
        [](const Call& c) {
          return c.b.reshape(c.name, c.in[0], read_shape(c.object, "shape", c.config));
        }}},
      {"permute", {1, permute}},
      {"embedding",
       {1,
        [](const Call& c) {
          const std::int64_t rows = c.size("rows");
          const std::int64_t width = c.size("width");
          check_weights(c, "rows", {rows, width});
          return c.b.embedding(c.name, c.in[0], rows, width);
        }}},
      {"rnn", {1, recurrent<RnnCell::kRnn>}},
      {"gru", {1, recurrent<RnnCell::kGru>}},
      {"lstm", {1, recurrent<RnnCell::kLstm>}},
      {"cross_entropy",
       {2, [](const Call& c) { return c.b.cross_entropy(c.name, c.in[0], c.in[1]); }}},
      {"mean_squared_error",
       {2, [](const Call& c) { return c.b.loss(c.name, LossKind::kMeanSquaredError, c.in); }}}};
  return table;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const auto& entry : kinds()) names.push_back(entry.first);
  return names;
}

bool is_loss(const std::string& kind) {
  return kind == "cross_entropy" || kind == "mean_squared_error";
}

void build_from(const JsonDocument& document, WorkloadBuilder& b, const WorkloadConfig& config) {
  JsonObject root = document.root();
  std::map<std::string, TensorId> tensors;
  for (JsonObject& input : root.objects("inputs")) {
    const std::string name = input.string("name");
    const Dims dims = read_shape(input, "shape", config);
    tensors[name] =
        input.boolean_or("integer", false) ? b.integer_input(name, dims) : b.input(name, dims);
    input.finish();
  }
  std::vector<JsonObject> operations = root.objects("operations");
  for (JsonObject& object : operations) {
    const std::string op = object.one_of("op", kind_names());
    const Kind& kind = kinds().at(op);
    if (is_loss(op) != (&object == &operations.back())) {
      object.fail("op", is_loss(op) ? "a loss is the last operation, and operations follow"
                                    : "the last operation is \"" + op +
                                          "\", but must be a loss: cross_entropy or "
                                          "mean_squared_error");
    }
    Call call{b, config, object, object.string("name"), {}};
    for (const std::string& name : object.strings("inputs")) {
      const auto found = tensors.find(name);
      if (found == tensors.end()) {
        object.fail("inputs", "\"" + name + "\" is no input and no earlier operation");
      }
      call.in.push_back(found->second);
    }
    if (call.in.empty() || (kind.inputs > 0 && call.in.size() != kind.inputs)) {
      object.fail("inputs", "has " + std::to_string(call.in.size()) + " entries; " +
                                (kind.inputs > 0 ? std::to_string(kind.inputs) : "one or more") +
                                " needed");
    }
    tensors[call.name] = kind.add(call);
    object.finish();
  }
  if (config.seq > 0) b.set_tokens_per_sample(config.seq);
}

}  // namespace

ImportedModel import_workload_file(std::string_view text, const std::string& file) {
  const auto document =
      std::make_shared<const JsonDocument>(parse_json(text, file, "paceline.workload/1"));
  JsonObject root = document->root();
  ImportedModel model;
  model.name = root.string("name");
  model.summary = root.string_or("summary", "workload file");
  model.workload.source = root.string_or("source", file);
  model.workload.input = root.string_or("input", "as in the file");
  if (root.has("default_seq")) model.workload.default_seq = root.count("default_seq", 1);
  root.raw("inputs");
  root.raw("operations");
  root.finish();
  model.workload.build = [document](WorkloadBuilder& b, const WorkloadConfig& config) {
    try {
      build_from(*document, b, config);
    } catch (const InputError& error) {
      const std::string what = error.what();  // shapes that do not fit know no file
      throw InputError(what.starts_with(document->name()) ? what : document->name() + ": " + what);
    }
  };
  return model;
}

}  // namespace paceline
