#include "model/import/workload_file.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/json_reader.h"
#include "core/names.h"

namespace paceline {
namespace {

using Dims = WorkloadBuilder::Dims;

// One operation being read: `object` holds its attributes.
struct Call {
  WorkloadBuilder& b;
  const WorkloadConfig& config;
  JsonObject& object;
  std::string name;
  std::vector<TensorId> in;

  std::int64_t integer(const char* key) const { return object.integer(key); }
  std::int64_t integer(const char* key, std::int64_t fallback) const {
    return object.integer_or(key, fallback);
  }
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

PoolOptions pool(const Call& c) {
  const std::int64_t kernel = c.integer("kernel");
  return {.kernel = kernel,
          .stride = c.integer("stride", kernel),
          .pad = c.integer("pad", 0),
          .ceil_mode = c.flag("ceil_mode", false)};
}

TensorId convolution(const Call& c) {
  return c.b.conv(c.name, c.in[0],
                  {.out_channels = c.integer("out_channels"),
                   .kernel = c.integer("kernel"),
                   .stride = c.integer("stride", 1),
                   .pad = c.integer("pad", 0),
                   .groups = c.integer("groups", 1),
                   .bias = c.flag("bias", true)});
}

template <Activation kind>
TensorId activation(const Call& c) {
  return c.b.activate(c.name, c.in[0], kind, c.flag("in_place", false));
}

template <RnnCell cell>
TensorId recurrent(const Call& c) {
  return c.b.rnn(c.name, c.in[0],
                 {.cell = cell,
                  .hidden = c.integer("hidden"),
                  .layers = c.integer("layers", 1),
                  .bidirectional = c.flag("bidirectional", false),
                  .bias_sets = static_cast<int>(c.integer("bias_sets", 2))});
}

TensorId permute(const Call& c) {
  std::vector<int> axes;
  for (const std::int64_t axis : c.object.integers("axes")) axes.push_back(static_cast<int>(axis));
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
          return c.b.linear(c.name, c.in[0], c.integer("out_features"), c.flag("bias", true));
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
      {"concat",
       {0,
        [](const Call& c) {
          return c.b.concat(c.name, c.in, static_cast<int>(c.integer("axis", 1)));
        }}},
      {"flatten",
       {1,
        [](const Call& c) {
          return c.b.flatten(c.name, c.in[0], static_cast<std::size_t>(c.integer("first", 1)));
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
          return c.b.embedding(c.name, c.in[0], c.integer("rows"), c.integer("width"));
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
  for (JsonObject& object : root.objects("operations")) {
    const Kind& kind = kinds().at(object.one_of("op", kind_names()));
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
  if (root.has("default_seq")) model.workload.default_seq = root.integer("default_seq");
  root.raw("inputs");
  root.raw("operations");
  root.finish();
  model.workload.build = [document](WorkloadBuilder& b, const WorkloadConfig& config) {
    build_from(*document, b, config);
  };
  build_workload(model.name, model.workload, {});
  return model;
}

}  // namespace paceline
