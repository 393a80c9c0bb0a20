#include "traces/recording/from_timeline.h"

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace paceline {

nlohmann::ordered_json recording_from(const MeasuredTimeline& run,
                                      const RecordedExperiment& experiment,
                                      std::int64_t parameters) {
  std::vector<double> samples = run.iterations_s;
  if (samples.empty()) {
    throw InputError(
        "the profile marks no whole iterations, so it does not say how long one takes; profile "
        "with a schedule and profiler.step()");
  }
  if (samples.size() > 2) samples.erase(samples.begin());
  Seconds forward(0), backward(0);
  for (const LayerTime& layer : layer_times(run)) {
    forward = forward + layer.forward;
    backward = backward + layer.backward;
  }
  nlohmann::ordered_json e = {
      {"model", experiment.model},         {"batch", experiment.batch},
      {"threads", experiment.threads},     {"device", experiment.device},
      {"framework", experiment.framework}, {"precision", experiment.precision}};
  if (experiment.seq) e["seq"] = *experiment.seq;
  Provenance provenance = run.provenance;
  provenance.host = {"not in the profile", 1, Bytes(0), ""};  // that of the import would mislead
  if (!run.devices.empty()) provenance.libraries["gpu"] = run.devices.front();
  const nlohmann::ordered_json round = {{"start", run.provenance.date},
                                        {"foreign_cpu", 0.0},
                                        {"page_faults_per_iteration", 0.0},
                                        {"accepted", true},
                                        {"samples_s", samples},
                                        {"forward_s", forward.si()},
                                        {"backward_s", backward.si()},
                                        {"optimizer_s", other_times(run).optimizer.si()}};
  const nlohmann::ordered_json recorded_run = {{"experiment", e},
                                               {"parameters", parameters},
                                               {"status", "measured"},
                                               {"rounds", nlohmann::ordered_json::array({round})}};
  return {{"schema", "paceline.recording/1"},
          {"provenance", to_json(provenance)},
          {"protocol",
           {{"rounds", 1},
            {"iterations", samples.size()},
            {"warmup", run.iterations_s.size() - samples.size()},
            {"foreign_cpu_limit", 0.0},
            {"statistic", "iterations of a profile (" + run.source +
                              "); use of the machine by others was not observed"},
            {"optimizer", "not in the profile"}}},
          {"runs", nlohmann::ordered_json::array({recorded_run})}};
}

}  // namespace paceline
