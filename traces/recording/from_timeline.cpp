#include "traces/recording/from_timeline.h"

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace paceline {

nlohmann::ordered_json recording_from(const MeasuredTimeline& run,
                                      const RecordedExperiment& experiment) {
  std::vector<double> samples = run.iterations_s;
  if (samples.empty()) {
    throw InputError(
        "the profile marks no iterations, so it does not say how long one takes; profile with a "
        "schedule and profiler.step()");
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
  nlohmann::ordered_json libraries = nlohmann::ordered_json::object();
  if (!run.devices.empty()) libraries["gpu"] = run.devices.front();
  const nlohmann::ordered_json round = {{"start", run.provenance.date},
                                        {"foreign_cpu", 0.0},
                                        {"page_faults_per_iteration", 0.0},
                                        {"accepted", true},
                                        {"samples_s", samples},
                                        {"forward_s", forward.si()},
                                        {"backward_s", backward.si()},
                                        {"optimizer_s", other_times(run).optimizer.si()}};
  return {{"schema", "paceline.recording/1"},
          {"provenance",
           {{"tool", run.provenance.tool},
            {"date", run.provenance.date},
            {"host", {{"cpu", "not in the profile"}, {"cores", 1}}},
            {"libraries", libraries}}},
          {"protocol",
           {{"source", "a profile (" + run.source + ")"},
            {"noise", "use of the machine by others was not observed"}}},
          {"runs",
           {{{"experiment", e}, {"parameters", 0}, {"status", "measured"}, {"rounds", {round}}}}}};
}

}  // namespace paceline
