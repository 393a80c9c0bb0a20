#include "validation/harness/published_case.h"

#include <nlohmann/json.hpp>

#include "core/data_directory.h"

namespace paceline {
namespace {

void read_options(JsonObject object, Experiment& e) {
  for (const std::string& key : object.keys()) e.options[key] = object.string(key);
}

// An experiment of which some fields are known; `whole_batch` is that of all devices together.
struct Known {
  Experiment experiment;
  std::optional<std::int64_t> whole_batch;
};

void read_text(JsonObject& object, const char* key, std::optional<std::string>& value) {
  if (object.has(key)) value = object.string(key);
}

// Reads the fields that are there into `known`.
void read_experiment(JsonObject& object, Known& known) {
  Experiment& e = known.experiment;
  if (object.has("global_batch")) known.whole_batch = object.integer("global_batch");
  read_text(object, "intra", e.intra);
  read_text(object, "net", e.net);
  read_text(object, "cluster", e.cluster);
  read_text(object, "topo", e.topo);
  read_text(object, "calibrate", e.calibrate);
  if (object.has("profile")) e.profile = (data_directory() / object.string("profile")).string();
  e.model = object.string_or("model", e.model);
  e.batch = object.integer_or("batch", e.batch);
  if (object.has("seq")) e.seq = object.integer("seq");
  if (object.has("precision")) e.precision = parse_precision(object.string("precision"));
  e.device = object.string_or("device", e.device);
  e.threads = static_cast<int>(object.integer_or("threads", e.threads));
  e.devices = object.integer_or("gpus", e.devices);
  if (object.has("gpus_per_node")) e.devices_per_machine = object.integer("gpus_per_node");
  e.framework = object.string_or("framework", e.framework);
  e.strategy = object.string_or("strategy", e.strategy);
  e.grad_accumulation = object.integer_or("grad_accum", e.grad_accumulation);
  if (object.has("options")) read_options(object.object("options"), e);
}

std::string case_name(const Experiment& e) {
  return e.framework + "-" + e.model + "-b" + std::to_string(e.batch) + "-" + e.device;
}

// The share of each device and micro-batch of the batch of all of them.
void share_batch(JsonObject& object, const Known& known, Experiment& e) {
  if (!known.whole_batch) return;
  const std::int64_t parts = e.devices * e.grad_accumulation;
  if (parts < 1 || *known.whole_batch % parts != 0) {
    object.fail("global_batch", std::to_string(*known.whole_batch) +
                                    " samples do not divide over " + std::to_string(e.devices) +
                                    " devices with " + std::to_string(e.grad_accumulation) +
                                    " micro-batches");
  }
  e.batch = *known.whole_batch / parts;
  e.global_batch = true;
}

PublishedCase read_case(JsonObject object, Known known) {
  PublishedCase out;
  read_experiment(object, known);
  out.experiment = known.experiment;
  share_batch(object, known, out.experiment);
  if (out.experiment.model.empty()) object.fail("model", "is missing");
  if (out.experiment.batch < 1) object.fail("batch", "is missing or less than 1");
  if (out.experiment.device.empty()) object.fail("device", "is missing");
  out.name = object.string_or("name", case_name(out.experiment));
  out.excluded = object.string_or("excluded", "");
  if (object.has("measured_s") == object.has("samples_per_s")) {
    object.fail("measured_s", "expected either this or samples_per_s");
  }
  if (object.has("measured_s")) {
    out.measured = Seconds(object.positive("measured_s"));
  } else {
    const double samples = static_cast<double>(out.experiment.samples_per_iteration());
    out.measured = Seconds(samples / object.positive("samples_per_s"));
  }
  object.finish();
  return out;
}

}  // namespace

std::vector<PublishedCase> read_published_cases(JsonObject& set) {
  Known common;
  if (set.has("common")) {
    JsonObject object = set.object("common");
    read_experiment(object, common);
    object.finish();
  }
  std::vector<PublishedCase> cases;
  for (JsonObject& object : set.objects("cases")) {
    cases.push_back(read_case(std::move(object), common));
  }
  if (cases.empty()) set.fail("cases", "is empty");
  return cases;
}

}  // namespace paceline
