#include "validation/memory/memory_set.h"

#include <algorithm>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"

namespace paceline {
namespace {

std::map<std::string, std::int64_t> read_measured(JsonObject object) {
  std::map<std::string, std::int64_t> out;
  for (const std::string& key : object.keys()) {
    const std::int64_t bytes = object.integer(key);
    if (bytes <= 0) object.fail(key, "is not a positive number of bytes");
    out[key] = bytes;
  }
  object.finish();
  return out;
}

void read_options(JsonObject options, std::map<std::string, std::string>& out) {
  for (const std::string& key : options.keys()) out[key] = options.string(key);
  options.finish();
}

void read_strategy(JsonObject object, MemoryCase& c) {
  c.strategy = object.string("name");
  c.devices = object.count("devices");
  if (object.has("options")) read_options(object.object("options"), c.strategy_options);
  object.finish();
}

std::optional<double> optional_bytes(JsonObject& object, std::string_view key,
                                     std::optional<double> otherwise) {
  return object.has(key) ? object.number(key) : otherwise;
}

// `common` holds what all cases of a set share.
MemoryCase read_case(JsonObject& object, const MemoryCase& common, bool complete) {
  MemoryCase c = common;
  if (complete) c.name = object.string("name");
  c.model = object.string_or("model", c.model);
  c.batch = object.integer_or("batch", c.batch);
  if (object.has("seq")) c.seq = object.integer("seq");
  c.framework = object.string_or("framework", c.framework);
  c.device = object.string_or("device", c.device);
  c.threads = object.count_or("threads", c.threads);
  if (object.has("precision")) c.precision = parse_precision(object.string("precision"));
  c.uniform = object.boolean_or("uniform", c.uniform);
  c.optimizer = object.string_or("optimizer", c.optimizer);
  c.recompute = object.string_or("recompute", c.recompute);
  c.cells = object.string_or("cells", c.cells);
  c.fused_attention = object.boolean_or("fused_attention", c.fused_attention);
  c.weight_bytes = optional_bytes(object, "weight_bytes", c.weight_bytes);
  c.gradient_bytes = optional_bytes(object, "gradient_bytes", c.gradient_bytes);
  c.master_bytes = optional_bytes(object, "master_bytes", c.master_bytes);
  c.excluded = object.string_or("excluded", c.excluded);
  c.assumed = object.string_or("assumed", c.assumed);
  if (object.has("options")) read_options(object.object("options"), c.options);
  if (object.has("strategy")) read_strategy(object.object("strategy"), c);
  if (complete) c.measured = read_measured(object.object("measured_bytes"));
  object.finish();
  return c;
}

// What record_memory.py counted: tensors only.
std::vector<MemoryCase> read_memory_recording(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, "paceline.memory-recording/1");
  JsonObject root = document.root();
  root.raw("provenance");
  root.raw("protocol");
  std::vector<MemoryCase> cases;
  for (JsonObject& run : root.objects("runs")) {
    JsonObject e = run.object("experiment");
    MemoryCase c;
    c.model = e.string("model");
    c.batch = e.integer("batch");
    c.threads = e.count("threads");
    if (e.has("seq")) c.seq = e.integer("seq");
    c.device = e.string("device");
    c.framework = e.string("framework");
    c.precision = parse_precision(e.string("precision"));
    e.finish();
    c.name = c.model + "-b" + std::to_string(c.batch);
    c.measured = {{"weights", run.integer("weights_bytes")},
                  {"input", run.integer("input_bytes")},
                  {"after_forward", run.integer("after_forward_bytes")},
                  {"forward_peak", run.integer("forward_peak_bytes")},
                  {"alive", run.integer("peak_bytes")}};
    run.integer("weight_gradients_bytes");
    run.finish();
    cases.push_back(std::move(c));
  }
  root.finish();
  return cases;
}

}  // namespace

MemorySet read_memory_set(const std::filesystem::path& file, const std::filesystem::path& root) {
  const JsonDocument document = read_json_file(file, "paceline.memory-set/1");
  JsonObject object = document.root();
  MemorySet set;
  set.name = object.string("name");
  set.summary = object.string("summary");
  set.source = object.string("source");
  JsonObject limits = object.object("median_error_limits");
  set.total_limit = limits.positive("total");
  set.category_limit = limits.positive("category");
  limits.finish();
  if (object.has("recording")) {
    set.cases = read_memory_recording(root / object.string("recording"));
  } else {
    MemoryCase common;
    if (object.has("common")) {
      JsonObject shared = object.object("common");
      common = read_case(shared, common, false);
    }
    for (JsonObject& entry : object.objects("cases")) {
      set.cases.push_back(read_case(entry, common, true));
    }
  }
  object.finish();
  return set;
}

std::vector<MemorySet> shipped_memory_sets() {
  const std::filesystem::path root = data_directory();
  std::vector<MemorySet> sets;
  for (const auto& entry : std::filesystem::directory_iterator(root / "validation/memory/sets")) {
    if (entry.path().extension() == ".json") sets.push_back(read_memory_set(entry.path(), root));
  }
  std::sort(sets.begin(), sets.end(),
            [](const MemorySet& a, const MemorySet& b) { return a.name < b.name; });
  return sets;
}

}  // namespace paceline
