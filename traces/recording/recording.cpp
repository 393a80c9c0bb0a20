#include "traces/recording/recording.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/statistics.h"
#include "traces/recording/run_reader.h"

namespace paceline {
namespace {

constexpr char kRecordingSchema[] = "paceline.recording/1";

RecordedRun read_run(JsonObject object) {
  RecordedRun run;
  run.place = object.path();
  JsonObject experiment = object.object("experiment");
  run.experiment = read_recorded_experiment(experiment);
  if (experiment.has("options")) {
    JsonObject options = experiment.object("options");
    for (const std::string& key : options.keys()) {
      run.experiment.options[key] = options.string(key);
    }
    options.finish();
  }
  experiment.finish();
  run.parameters = object.integer("parameters");
  if (run.parameters < 0) object.fail("parameters", "is negative");
  for (JsonObject& round : object.objects("rounds")) {
    run.rounds.push_back(read_recorded_round(round, Phases::kRequired));
    round.finish();
  }
  read_run_status(object, run);
  object.finish();
  return run;
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
  const JsonDocument document = parse_json(text, name, kRecordingSchema);
  JsonObject root = document.root();
  read_recording_facts(root, text, name, recording);
  JsonObject protocol = root.object("protocol");
  check_protocol(protocol);
  protocol.finish();
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
