#include "simulator/frameworks/record/gpu_record.h"

#include <algorithm>

namespace paceline {
namespace {

GpuHostCosts read_host(JsonObject object) {
  GpuHostCosts host;
  host.call = object.quantity<Seconds>("call");
  host.log_sd = object.positive("log_sd");
  host.launch_latency = object.quantity<Seconds>("launch_latency");
  if (object.has("graph_launch")) host.graph_launch = object.quantity<Seconds>("graph_launch");
  host.source = object.string("source");
  object.finish();
  return host;
}

std::vector<UpdatePass> read_passes(JsonObject& parent, const std::string& style) {
  std::vector<UpdatePass> passes;
  for (JsonObject object : parent.objects(style)) {
    passes.push_back({.read = object.positive("read"), .written = object.positive("written")});
    object.finish();
  }
  if (passes.empty()) parent.fail(style, "expected at least one pass");
  return passes;
}

UpdatePasses read_update_passes(JsonObject object) {
  UpdatePasses out;
  for (const std::string& optimizer : object.keys()) {
    JsonObject styles = object.object(optimizer);
    for (const std::string& style : styles.keys()) {
      out[optimizer][style] = read_passes(styles, style);
    }
    styles.finish();
  }
  object.finish();
  return out;
}

void read_update(JsonObject object, GpuRecord& record) {
  record.update_calls = object.number("calls");
  record.update_calls_per_tensor = object.number("calls_per_tensor");
  record.tensors_per_update_kernel = object.integer("tensors_per_kernel");
  if (record.tensors_per_update_kernel < 1) object.fail("tensors_per_kernel", "is less than 1");
  record.update_style = object.string("style");
  record.update_passes = read_update_passes(object.object("passes"));
  for (const auto& [optimizer, styles] : record.update_passes) {
    if (!styles.contains(record.update_style)) {
      object.fail("passes", optimizer + " has no style \"" + record.update_style + "\"");
    }
  }
  object.finish();
}

GpuRecord::Tf32Default read_tf32(JsonObject object) {
  GpuRecord::Tf32Default out{.work = object.strings("work"),
                             .architectures = object.strings("architectures"),
                             .source = object.string("source")};
  for (const std::string& work : out.work) {
    if (work == "convolutions" || work == "products") continue;
    object.fail("work", "expected convolutions or products, found \"" + work + "\"");
  }
  object.finish();
  return out;
}

}  // namespace

LayerCalls read_layer_calls(JsonObject object) {
  LayerCalls calls;
  calls.forward = object.number("forward");
  calls.backward = object.number("backward");
  object.finish();
  if (calls.forward < 0) object.fail("forward", "is negative");
  if (calls.backward < 0) object.fail("backward", "is negative");
  return calls;
}

bool GpuRecord::fuses_attention_on(std::string_view architecture) const {
  return std::ranges::find(fused_attention, architecture) != fused_attention.end();
}

const LayerCalls& GpuRecord::calls(std::string_view layer_kind) const {
  const auto found = layer_calls.find(layer_kind);
  if (found == layer_calls.end()) {
    throw InputError("the gpu record of this framework has no layer_calls of \"" +
                     std::string(layer_kind) + "\"");
  }
  return found->second;
}

GpuRecord read_gpu_record(JsonObject object) {
  GpuRecord record;
  record.version = object.string("version");
  record.sources = object.strings("sources");
  record.host = read_host(object.object("host"));
  JsonObject composition = object.object("composition");
  record.composition_sd = composition.positive("log_sd");
  record.sources.push_back("composition: " + composition.string("source"));
  composition.finish();
  record.persistent_rnn = object.boolean_or("persistent_rnn", false);
  record.fused_bias = object.boolean("fused_bias");
  record.clears_gradients = object.boolean("clears_gradients");
  record.fused_attention = object.strings("fused_attention");
  if (object.has("tf32_by_default")) {
    record.tf32_by_default = read_tf32(object.object("tf32_by_default"));
  }
  record.compiles = object.boolean_or("compiles", false);
  read_update(object.object("update"), record);
  if (object.has("execution")) {
    record.execution = read_execution_rules(object.object("execution"));
  }
  // A framework is charged by the layer or by the kernel.
  if (object.has("layer_calls") == (record.execution.calls_per_kernel > 0)) {
    object.fail("layer_calls", "expected either this or execution/calls_per_kernel");
  }
  if (object.has("layer_calls")) {
    JsonObject layers = object.object("layer_calls");
    for (const std::string& kind : layers.keys()) {
      record.layer_calls.emplace(kind, read_layer_calls(layers.object(kind)));
    }
    layers.finish();
  }
  object.finish();
  return record;
}

}  // namespace paceline
