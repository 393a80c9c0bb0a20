#include "traces/recording/recording.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/json_reader.h"
#include "core/provenance.h"
#include "core/statistics.h"

namespace paceline {
namespace {

constexpr char kSchema[] = "paceline.recording/1";

double not_negative(JsonObject& object, std::string_view key) {
  const double value = object.number(key);
  if (value < 0) object.fail(key, "is negative");
  return value;
}

Seconds duration(JsonObject& object, std::string_view key) {
  return Seconds(not_negative(object, key));
}

RecordedExperiment read_experiment(JsonObject object) {
  RecordedExperiment e;
  e.model = object.string("model");
  e.batch = object.integer("batch");
  e.threads = object.count("threads", 1);
  e.device = object.string("device");
  e.framework = object.string("framework");
  e.precision = object.string("precision");
  if (object.has("seq")) e.seq = object.integer("seq");
  object.finish();
  if (e.batch < 1) object.fail("batch", "must be at least 1");
  return e;
}

RecordedRound read_round(JsonObject object) {
  RecordedRound round;
  round.start = object.string("start");
  round.foreign_cpu = not_negative(object, "foreign_cpu");
  round.page_faults = not_negative(object, "page_faults_per_iteration");
  round.accepted = object.boolean("accepted");
  round.samples_s = object.numbers("samples_s");
  round.forward = duration(object, "forward_s");
  round.backward = duration(object, "backward_s");
  round.optimizer = duration(object, "optimizer_s");
  object.finish();
  if (round.samples_s.empty()) object.fail("samples_s", "a round has at least one sample");
  for (const double sample : round.samples_s) {
    if (!(sample > 0)) object.fail("samples_s", "a sample is a positive number of seconds");
  }
  return round;
}

RecordedRun read_run(JsonObject object) {
  static const std::vector<std::string> kStatus = {"measured", "skipped"};
  RecordedRun run;
  run.place = object.path();
  run.experiment = read_experiment(object.object("experiment"));
  run.parameters = object.integer("parameters");
  if (run.parameters < 0) object.fail("parameters", "is negative");
  const bool skipped = object.one_of("status", kStatus) == "skipped";
  run.reason = object.string_or("reason", "");
  if (object.has("summary")) object.raw("summary");  // derived: recomputed from the samples
  for (JsonObject& round : object.objects("rounds")) {
    run.rounds.push_back(read_round(std::move(round)));
  }
  object.finish();
  if (skipped == run.measured()) {
    object.fail("status", run.measured() ? "\"skipped\", but a round was accepted"
                                         : "\"measured\", but no round was accepted");
  }
  return run;
}

// How it was recorded; for people, so only its form is checked.
void check_protocol(JsonObject object) {
  object.count("rounds");
  object.count("iterations", 1);
  object.count("warmup");
  if (object.number("foreign_cpu_limit") < 0) object.fail("foreign_cpu_limit", "is negative");
  object.string("statistic");
  object.string("optimizer");
  object.finish();
}

std::vector<double> accepted_medians(const RecordedRun& run) {
  std::vector<double> medians;
  for (const RecordedRound& round : run.rounds) {
    if (round.accepted) medians.push_back(median(round.samples_s));
  }
  return medians;
}

}  // namespace

bool RecordedRun::measured() const {
  return std::any_of(rounds.begin(), rounds.end(),
                     [](const RecordedRound& round) { return round.accepted; });
}

const RecordedRound& RecordedRun::best() const {
  const RecordedRound* best = nullptr;
  for (const RecordedRound& round : rounds) {
    if (!round.accepted) continue;
    if (best == nullptr || median(round.samples_s) < median(best->samples_s)) best = &round;
  }
  if (best == nullptr) throw Error(ExitCode::kInternal, "a skipped run has no time");
  return *best;
}

Seconds RecordedRun::time() const { return Seconds(median(best().samples_s)); }

double RecordedRun::spread() const {
  const std::vector<double> medians = accepted_medians(*this);
  if (medians.empty()) return 0;
  const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
  return (*most - *least) / *least;
}

Recording parse_recording(std::string_view text, std::string name) {
  Recording recording;
  recording.file = std::filesystem::path(name).filename().string();
  recording.sha256 = sha256_hex(text);
  const JsonDocument document = parse_json(text, std::move(name), kSchema);
  JsonObject root = document.root();
  const Provenance provenance = read_provenance(root.object("provenance"));
  recording.date = provenance.date;
  recording.host = {provenance.host.cpu, provenance.host.cores};
  recording.libraries = provenance.libraries;
  check_protocol(root.object("protocol"));
  for (JsonObject& run : root.objects("runs")) {
    recording.runs.push_back(read_run(run));
    const auto earlier = std::find_if(recording.runs.begin(), std::prev(recording.runs.end()),
                                      [&](const RecordedRun& other) {
                                        return other.experiment == recording.runs.back().experiment;
                                      });
    if (earlier != std::prev(recording.runs.end())) {
      run.fail("experiment", "is that of " + earlier->place + " too; a recording holds it once");
    }
  }
  if (recording.runs.empty()) root.fail("runs", "holds no run");
  root.finish();
  return recording;
}

Recording read_recording(const std::filesystem::path& file) {
  return parse_recording(read_text_file(file), file.string());
}

}  // namespace paceline
