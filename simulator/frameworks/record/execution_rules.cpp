#include "simulator/frameworks/record/execution_rules.h"

namespace paceline {
namespace {

const std::vector<std::string> kRecurrences = {"fused", "concatenated-input", "two-products",
                                               "hoisted-input", "none"};

const std::vector<TensorPass> kNothing;

std::optional<std::vector<TensorPass>> read_passes(JsonObject& layer, std::string_view direction) {
  if (!layer.has(direction)) return std::nullopt;
  std::vector<TensorPass> passes;
  for (JsonObject object : layer.objects(direction)) {
    const auto tensors = [&](std::string_view key) {
      const double value = object.number_or(key, 0);
      if (value < 0) object.fail(key, "a pass cannot be negative");
      return value;
    };
    const TensorPass pass{.read = tensors("read"),
                          .written = tensors("written"),
                          .read_fp32 = tensors("read_fp32"),
                          .written_fp32 = tensors("written_fp32"),
                          .converts = object.boolean_or("converts", false)};
    passes.insert(passes.end(), static_cast<std::size_t>(object.integer_or("times", 1)), pass);
    object.finish();
  }
  return passes;
}

InputCopy read_input(JsonObject object) {
  InputCopy input{object.quantity<BytesPerSecond>("rate"), object.quantity<Seconds>("call")};
  object.string("source");
  object.finish();
  return input;
}

}  // namespace

const LayerRule* ExecutionRules::rule_of(std::string_view layer_kind) const {
  const auto found = layers.find(layer_kind);
  return found == layers.end() ? nullptr : &found->second;
}

ExecutionRules read_execution_rules(JsonObject object) {
  ExecutionRules rules;
  if (object.has("calls_per_kernel")) rules.calls_per_kernel = object.positive("calls_per_kernel");
  rules.waits_for_each_operation = object.boolean_or("waits_for_each_operation", false);
  rules.strided_views = object.boolean_or("strided_views", true);
  rules.accumulates_gradients = object.boolean_or("accumulates_gradients", false);
  rules.sums_in_kernels = object.boolean_or("sums_in_kernels", false);
  rules.transposes_images = object.boolean_or("transposes_images", false);
  rules.transposes_pool_gradients = object.boolean_or("transposes_pool_gradients", false);
  if (object.has("recurrence")) rules.recurrence = object.one_of("recurrence", kRecurrences);
  if (object.has("workspace_limit")) {
    rules.workspace_limit = object.quantity<Bytes>("workspace_limit");
  }
  if (object.has("input")) rules.input = read_input(object.object("input"));
  if (object.has("host_embedding"))
    rules.host_embedding = read_input(object.object("host_embedding"));
  if (object.has("layers")) {
    JsonObject layers = object.object("layers");
    for (const std::string& kind : layers.keys()) {
      JsonObject layer = layers.object(kind);
      rules.layers[kind] = {.forward = read_passes(layer, "forward"),
                            .backward = read_passes(layer, "backward"),
                            .backward_also = read_passes(layer, "backward_also").value_or(kNothing),
                            .forward_calls = layer.number_or("forward_calls", 0),
                            .backward_calls = layer.number_or("backward_calls", 0)};
      if (layer.has("source")) layer.string("source");
      layer.finish();
    }
    layers.finish();
  }
  object.finish();
  return rules;
}

}  // namespace paceline
