#include "traces/recording/run_reader.h"

#include "core/error.h"
#include "core/provenance.h"

namespace paceline {
namespace {

double not_negative(JsonObject& object, std::string_view key) {
  const double value = object.number(key);
  if (value < 0) object.fail(key, "is negative");
  return value;
}

Seconds phase(JsonObject& object, std::string_view key, Phases phases) {
  if (phases == Phases::kOptional && !object.has(key)) return Seconds();
  return Seconds(not_negative(object, key));
}

}  // namespace

RecordedExperiment read_recorded_experiment(JsonObject& object) {
  RecordedExperiment e;
  e.model = object.string("model");
  e.batch = object.integer("batch");
  e.threads = object.count("threads", 1);
  e.device = object.string("device");
  e.framework = object.string("framework");
  e.precision = object.string("precision");
  if (object.has("seq")) e.seq = object.integer("seq");
  if (e.batch < 1) object.fail("batch", "must be at least 1");
  return e;
}

RecordedRound read_recorded_round(JsonObject& object, Phases phases) {
  RecordedRound round;
  round.start = object.string("start");
  round.foreign_cpu = not_negative(object, "foreign_cpu");
  round.page_faults = not_negative(object, "page_faults_per_iteration");
  round.accepted = object.boolean("accepted");
  round.samples_s = object.numbers("samples_s");
  round.forward = phase(object, "forward_s", phases);
  round.backward = phase(object, "backward_s", phases);
  round.optimizer = phase(object, "optimizer_s", phases);
  if (round.samples_s.empty()) object.fail("samples_s", "a round has at least one sample");
  for (const double sample : round.samples_s) {
    if (!(sample > 0)) object.fail("samples_s", "a sample is a positive number of seconds");
  }
  return round;
}

void check_protocol(JsonObject& object) {
  object.count("rounds");
  object.count("iterations", 1);
  object.count("warmup");
  if (object.number("foreign_cpu_limit") < 0) object.fail("foreign_cpu_limit", "is negative");
  object.string("statistic");
  object.string("optimizer");
}

void read_run_status(JsonObject& object, RecordedRun& run) {
  static const std::vector<std::string> kStatus = {"measured", "skipped"};
  const bool skipped = object.one_of("status", kStatus) == "skipped";
  run.reason = object.string_or("reason", "");
  if (object.has("summary")) object.raw("summary");  // derived: recomputed from the samples
  if (skipped == run.measured()) {
    object.fail("status", run.measured() ? "\"skipped\", but a round was accepted"
                                         : "\"measured\", but no round was accepted");
  }
}

void read_recording_facts(JsonObject& root, std::string_view text, const std::string& name,
                          Recording& recording) {
  recording.file = std::filesystem::path(name).filename().string();
  recording.sha256 = sha256_hex(text);
  const Provenance provenance = read_provenance(root.object("provenance"));
  recording.date = provenance.date;
  recording.host = {provenance.host.cpu, provenance.host.cores};
  recording.libraries = provenance.libraries;
}

}  // namespace paceline
