#include "traces/recording/cluster_recording.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/statistics.h"
#include "core/units_text.h"
#include "traces/recording/run_reader.h"

namespace paceline {
namespace {

constexpr char kClusterSchema[] = "paceline.cluster-recording/1";

// More than any link or round has: what lies beyond is a slip of the unit.
constexpr double kFastestRate = 1e15;   // bit/s
constexpr double kLongestLatency = 10;  // s
constexpr double kLongestPhase = 10;    // iterations

std::map<std::string, std::string> read_options(JsonObject object) {
  std::map<std::string, std::string> options;
  for (const std::string& key : object.keys()) {
    const nlohmann::json& value = object.raw(key);
    if (value.is_boolean()) {
      options[key] = value.get<bool>() ? "on" : "off";
    } else if (value.is_string()) {
      options[key] = value.get<std::string>();
    } else if (value.is_number()) {
      options[key] = value.dump();
    } else {
      object.fail(key, "found " + value.dump() + "; expected a text, a number, true or false");
    }
  }
  return options;
}

RecordedNetwork read_network(JsonObject object) {
  RecordedNetwork network;
  network.link = object.string("link");
  if (object.raw("rate_bits_per_s").is_null()) {
    network.rate.reset();
  } else {
    network.rate = object.positive("rate_bits_per_s");
    if (*network.rate > kFastestRate) {
      object.fail("rate_bits_per_s", "found " + significant(*network.rate, 6) +
                                         "; expected at most 1e15 bit/s, or null: not limited");
    }
  }
  const double latency_s = object.number("latency_s");
  if (latency_s < 0 || latency_s > kLongestLatency) {
    object.fail("latency_s", "found " + significant(latency_s, 6) + "; expected 0 to 10 seconds");
  }
  network.latency = Seconds(latency_s);
  object.finish();
  return network;
}

// Of the recorder: each worker by itself, or devices of one process.
bool sends_nothing(const std::string& strategy) {
  return strategy == "none" || strategy == "kvstore-local" || strategy == "kvstore-device";
}

ClusterExperiment read_experiment(JsonObject object) {
  ClusterExperiment e;
  e.worker = read_recorded_experiment(object);
  e.strategy = object.string("strategy");
  e.options = read_options(object.object("options"));
  e.workers = object.count("workers", 1);
  e.servers = object.count("servers");
  if (!object.raw("network").is_null()) e.network = read_network(object.object("network"));
  if (!e.network && e.workers > 1 && !sends_nothing(e.strategy)) {
    object.fail("network", "found null for " + std::to_string(e.workers) +
                               " workers with the strategy \"" + e.strategy +
                               "\"; expected the link between them (null goes with none, "
                               "kvstore-local and kvstore-device)");
  }
  object.finish();
  return e;
}

// A round with what only several workers have.
struct ClusterRound {
  RecordedRound round;
  Seconds communication;
  std::vector<double> worker_medians_s;
  std::vector<std::int64_t> bucket_bytes;
};

// One of each worker; devices of one process have one together.
void check_worker_medians(const std::vector<double>& medians, const ClusterExperiment& e,
                          const JsonObject& object) {
  const bool together = !e.network && medians.size() == 1;
  if (!together && medians.size() != static_cast<std::size_t>(e.workers)) {
    object.fail("worker_medians_s", "found " + std::to_string(medians.size()) +
                                        " numbers; expected one of each of the " +
                                        std::to_string(e.workers) + " workers");
  }
  for (std::size_t i = 0; i < medians.size(); ++i) {
    if (medians[i] > 0) continue;
    object.fail("worker_medians_s/" + std::to_string(i),
                "found " + significant(medians[i], 6) + "; expected a positive number of seconds");
  }
}

// A phase is part of an iteration; the medians of both may be of different ones.
void check_phase(std::string_view key, Seconds phase, Seconds iteration, const JsonObject& object) {
  if (phase <= kLongestPhase * iteration) return;
  object.fail(key, "found " + significant(phase.si()) +
                       " s; expected at most 10 times the iteration, which took " +
                       significant(iteration.si()) + " s");
}

ClusterRound read_round(JsonObject& object, const ClusterExperiment& e, double foreign_cpu_limit) {
  ClusterRound out;
  out.round = read_recorded_round(object, Phases::kOptional);
  if (out.round.accepted && out.round.foreign_cpu > foreign_cpu_limit) {
    object.fail("foreign_cpu", "found " + significant(out.round.foreign_cpu) +
                                   " in an accepted round; expected at most " +
                                   significant(foreign_cpu_limit) +
                                   ", the protocol's foreign_cpu_limit");
  }
  if (object.has("communication_s")) {
    out.communication = Seconds(object.number("communication_s"));
    if (out.communication < Seconds(0)) object.fail("communication_s", "is negative");
  }
  const Seconds iteration(median(out.round.samples_s));
  check_phase("forward_s", out.round.forward, iteration, object);
  check_phase("backward_s", out.round.backward, iteration, object);
  check_phase("optimizer_s", out.round.optimizer, iteration, object);
  check_phase("communication_s", out.communication, iteration, object);
  out.worker_medians_s = object.numbers("worker_medians_s");
  check_worker_medians(out.worker_medians_s, e, object);
  if (object.has("bucket_bytes")) out.bucket_bytes = object.integers("bucket_bytes");
  object.finish();
  return out;
}

void read_rounds(JsonObject& object, double foreign_cpu_limit, ClusterRun& run) {
  std::vector<ClusterRound> rounds;
  for (JsonObject& round : object.objects("rounds")) {
    rounds.push_back(read_round(round, run.experiment, foreign_cpu_limit));
  }
  for (const ClusterRound& round : rounds) run.worker0.rounds.push_back(round.round);
  if (!run.worker0.measured()) return;
  const auto best = static_cast<std::size_t>(&run.worker0.best() - run.worker0.rounds.data());
  run.communication = rounds[best].communication;
  run.worker_medians_s = rounds[best].worker_medians_s;
  run.bucket_bytes = rounds[best].bucket_bytes;
}

ClusterRun read_run(JsonObject& object, double foreign_cpu_limit) {
  ClusterRun run;
  run.experiment = read_experiment(object.object("experiment"));
  run.worker0.place = object.path();
  run.worker0.experiment = run.experiment.worker;
  run.worker0.parameters = object.integer("parameters");
  if (run.worker0.parameters < 0) object.fail("parameters", "is negative");
  read_rounds(object, foreign_cpu_limit, run);
  read_run_status(object, run.worker0);
  object.finish();
  return run;
}

}  // namespace

const ClusterRun* ClusterRecording::alone(const ClusterExperiment& experiment) const {
  for (const ClusterRun& run : runs) {
    const bool same = run.experiment.worker == experiment.worker;
    const bool by_itself = run.experiment.workers == 1 && run.experiment.strategy == "none";
    if (same && by_itself && run.worker0.measured()) return &run;
  }
  return nullptr;
}

const ClusterRun* ClusterRecording::alone(const ClusterExperiment& experiment,
                                          const std::map<std::string, std::string>& options) const {
  ClusterExperiment by_itself = experiment;
  by_itself.options = options;
  by_itself.workers = 1;
  by_itself.network.reset();
  for (const ClusterRun& run : runs) {
    if (run.experiment == by_itself && run.worker0.measured()) return &run;
  }
  return nullptr;
}

std::string to_string(const ClusterExperiment& e) {
  std::string out = e.worker.framework + " " + e.strategy;
  for (const auto& [name, value] : e.options) out += " " + name + "=" + value;
  out += " " + e.worker.model + " batch " + std::to_string(e.worker.batch) + ", " +
         std::to_string(e.workers) + (e.workers == 1 ? " worker" : " workers");
  if (e.servers > 0) {
    out += ", " + std::to_string(e.servers) + (e.servers == 1 ? " server" : " servers");
  }
  return e.network ? out + ", " + e.network->link : out;
}

ClusterRecording parse_cluster_recording(std::string_view text, const std::string& name) {
  const JsonDocument document = parse_json(text, name, kClusterSchema);
  JsonObject root = document.root();
  ClusterRecording recording;
  read_recording_facts(root, text, name, recording.facts);
  JsonObject protocol = root.object("protocol");
  check_protocol(protocol);
  protocol.count("threads_per_worker", 1);
  const double foreign_cpu_limit = protocol.number("foreign_cpu_limit");
  protocol.finish();
  for (JsonObject& object : root.objects("runs")) {
    ClusterRun run = read_run(object, foreign_cpu_limit);
    for (const ClusterRun& earlier : recording.runs) {
      if (earlier.experiment != run.experiment) continue;
      object.fail("experiment",
                  "is that of " + earlier.worker0.place + " too; a recording holds it once");
    }
    recording.runs.push_back(std::move(run));
  }
  if (recording.runs.empty()) root.fail("runs", "holds no run");
  root.finish();
  return recording;
}

ClusterRecording read_cluster_recording(const std::filesystem::path& file) {
  return parse_cluster_recording(read_text_file(file), file.string());
}

}  // namespace paceline
