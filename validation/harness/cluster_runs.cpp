#include "validation/harness/cluster_runs.h"

#include <algorithm>
#include <cstdio>

#include "core/error.h"

namespace paceline {
namespace {

template <typename T>
std::map<std::string, T> members(JsonObject& object, std::string_view key,
                                 T (JsonObject::*read)(std::string_view)) {
  std::map<std::string, T> out;
  if (!object.has(key)) return out;
  JsonObject inner = object.object(key);
  for (const std::string& name : inner.keys()) out[name] = (inner.*read)(name);
  return out;
}

std::vector<std::string> list(JsonObject& object, std::string_view key) {
  return object.has(key) ? object.strings(key) : std::vector<std::string>();
}

ClusterRunKind read_kind(JsonObject object) {
  ClusterRunKind kind;
  kind.framework = object.string("framework");
  kind.strategy = object.string("strategy");
  kind.with = members(object, "with", &JsonObject::string);
  kind.without = list(object, "without");
  kind.as = object.string_or("as", kind.strategy);
  kind.options = members(object, "options", &JsonObject::string);
  kind.ignore = list(object, "ignore");
  kind.compressor = list(object, "compressor");
  kind.layers_of = object.string_or("layers_of", kind.framework);
  kind.fewer_parameters = members(object, "fewer_parameters", &JsonObject::integer);
  if (object.has("intra")) kind.intra = object.string("intra");
  if (object.has("cores")) kind.cores = object.count("cores", 1);
  kind.excluded = object.string_or("excluded", "");
  object.finish();
  return kind;
}

std::string seconds_text(Seconds time) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g s", time.si());
  return buffer;
}

// Options of the run in the simulator's words: accumulation is no option of a strategy.
void take_options(const ClusterExperiment& recorded, const ClusterRunKind& kind, Experiment& e) {
  for (const auto& [name, value] : recorded.options) {
    if (std::ranges::find(kind.ignore, name) != kind.ignore.end()) continue;
    if (name == "grad_accum") {
      e.grad_accumulation = std::stoll(value);
    } else if (name == "no_sync") {
      e.options["sync"] = value == "on" ? "last" : "every";
    } else {
      e.options[name] = value;
    }
  }
  if (recorded.servers > 0) e.options["servers"] = std::to_string(recorded.servers);
  for (const auto& [name, value] : kind.options) e.options[name] = value;
}

// Nothing is sent where there is no network, so any rate will do.
std::string network_of(const ClusterExperiment& recorded, const std::string& links) {
  if (!recorded.network) return links;
  if (recorded.network->rate) return recorded.network->link + " as " + links;
  throw UsageError("the link has no limit, so that only processors limit what is sent");
}

}  // namespace

bool ClusterRunKind::holds(const ClusterExperiment& e) const {
  const auto has = [&](const auto& wanted) {
    const auto found = e.options.find(wanted.first);
    return found != e.options.end() && found->second == wanted.second;
  };
  return e.worker.framework == framework && e.strategy == strategy &&
         std::ranges::all_of(with, has) &&
         std::ranges::none_of(without, [&](const auto& name) { return e.options.contains(name); });
}

Seconds ClusterRunKind::compression_time(const ClusterRecording& recording,
                                         const ClusterExperiment& e) const {
  if (compressor.empty()) return {};
  std::map<std::string, std::string> plain = e.options;
  for (const std::string& name : compressor) plain.erase(name);
  const ClusterRun* compressed = recording.alone(e, e.options);
  const ClusterRun* whole = recording.alone(e, plain);
  if (compressed == nullptr || whole == nullptr) {
    throw UsageError("what compressing costs was not measured on one worker by itself");
  }
  return compressed->worker0.time() - whole->worker0.time();
}

const ClusterRunKind* ClusterRuns::kind_of(const ClusterExperiment& experiment) const {
  const auto found = std::ranges::find_if(
      kinds, [&](const ClusterRunKind& kind) { return kind.holds(experiment); });
  return found == kinds.end() ? nullptr : &*found;
}

ClusterRuns read_cluster_runs(JsonObject& set, const std::filesystem::path& root) {
  ClusterRuns runs;
  for (const std::string& file : set.strings("cluster_recordings")) {
    runs.recordings.push_back(root / file);
  }
  if (runs.recordings.empty()) set.fail("cluster_recordings", "is empty");
  runs.links = set.string("links");
  for (JsonObject& kind : set.objects("runs")) runs.kinds.push_back(read_kind(std::move(kind)));
  if (runs.kinds.empty()) set.fail("runs", "is empty");
  return runs;
}

Experiment experiment_of(const ClusterExperiment& recorded, const ClusterRunKind& kind,
                         const std::string& links, const std::string& device, Seconds alone,
                         Seconds compression, int cores) {
  Experiment e;
  e.model = recorded.worker.model;
  e.batch = recorded.worker.batch;
  e.seq = recorded.worker.seq;
  e.device = device;
  e.threads = recorded.worker.threads;
  e.precision = parse_precision(recorded.worker.precision);
  e.framework = kind.layers_of;
  e.strategy = kind.as;
  e.devices = recorded.workers;
  if (kind.intra) {
    e.intra = kind.intra;
  } else {
    e.devices_per_machine = 1;
    e.net = network_of(recorded, links);
  }
  take_options(recorded, kind, e);
  if (compression > Seconds()) e.options["compression_time"] = seconds_text(compression);
  e.options["shared_cores"] = std::to_string(kind.cores.value_or(cores));
  e.calibrate = seconds_text(alone);
  return e;
}

}  // namespace paceline
