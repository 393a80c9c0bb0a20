#include "simulator/frameworks/record/framework_record.h"

#include <algorithm>

#include "core/error.h"
#include "core/json_reader.h"

namespace paceline {
namespace {

PerImageGemmRule read_rule(JsonObject object) {
  PerImageGemmRule rule;
  rule.threads_at_most = object.count("threads_at_most");
  rule.batch_below = object.integer("batch_below");
  rule.single_elements = object.integer("single_elements");
  rule.single_kernel = object.integer("single_kernel");
  object.finish();
  return rule;
}

bool is_second(JsonObject& object, const char* key, const std::string& first,
               const std::string& second) {
  const std::string text = object.string(key);
  if (text != first && text != second) {
    object.fail(key, "\"" + text + "\" is neither " + first + " nor " + second);
  }
  return text == second;
}

CpuRules read_cpu_rules(JsonObject object, std::vector<std::string>& sources) {
  CpuRules rules;
  rules.unrolled_convolutions = is_second(object, "convolution", "library", "unrolled");
  rules.images_in_parallel = is_second(object, "images", "in-turn", "in-parallel");
  rules.filters_in_parallel = is_second(object, "filter_gradients", "in-turn", "in-parallel");
  rules.elementwise_in_parallel = is_second(object, "elementwise", "one-thread", "all-threads");
  if (object.has("one_thread")) rules.one_thread = object.strings("one_thread");
  rules.lines_per_thread = object.integer("lines_per_thread");
  if (rules.lines_per_thread < 0) object.fail("lines_per_thread", "is less than 0");
  for (const std::string& source : object.strings("sources")) sources.push_back(source);
  object.finish();
  return rules;
}

// How it runs on a CPU.
void read_cpu(JsonObject& root, FrameworkRecord& record) {
  record.host_fit = root.string("host_fit");
  JsonObject convolution = root.object("convolution");
  record.per_image_gemm = read_rule(convolution.object("per_image_gemm"));
  record.plain_input_channels = convolution.integer("plain_input_channels");
  convolution.finish();
  JsonObject composition = root.object("composition");
  record.composition_sd = composition.positive("log_sd");
  record.sources.push_back("composition: " + composition.string("source"));
  composition.finish();
  JsonObject calls = root.object("host_calls");
  record.zero_grad_calls = calls.positive("zero_grad_per_tensor");
  record.update_calls = calls.positive("update_per_tensor");
  JsonObject layers = calls.object("layers");
  for (const std::string& kind : layers.keys()) {
    record.layer_calls.emplace(kind, read_layer_calls(layers.object(kind)));
  }
  layers.finish();
  calls.finish();
}

}  // namespace

const LayerCalls& FrameworkRecord::calls(std::string_view layer_kind) const {
  const auto found = layer_calls.find(layer_kind);
  if (found == layer_calls.end()) {
    throw InputError("the record of framework " + name + " has no host_calls of \"" +
                     std::string(layer_kind) + "\"");
  }
  return found->second;
}

FrameworkRecord read_framework_record(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, "paceline.framework/1");
  JsonObject root = document.root();
  FrameworkRecord record;
  record.name = root.string("name");
  record.version = root.string("version");
  record.summary = root.string("summary");
  record.devices = root.strings("devices");
  record.default_strategy = root.string("default_strategy");
  record.sources = root.strings("sources");
  const auto& kinds = record.devices;
  if (root.has("cpu")) {
    record.cpu = read_cpu_rules(root.object("cpu"), record.sources);
  } else if (std::find(kinds.begin(), kinds.end(), "cpu") != kinds.end()) {
    read_cpu(root, record);
  }
  if (root.has("gpu")) record.gpu = read_gpu_record(root.object("gpu"));
  root.finish();
  return record;
}

}  // namespace paceline
