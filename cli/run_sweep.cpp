#include "cli/run_sweep.h"

#include <map>

#include "cli/experiment_flags.h"
#include "core/error.h"

namespace paceline {

std::vector<Report> SweepResult::reports() const {
  std::vector<Report> out;
  for (const Prediction& point : points) out.push_back(point.report);
  return out;
}

SweepResult run_sweep(const Arguments& arguments) {
  const std::vector<Experiment> experiments = read_experiments(arguments);
  const Predictor predictor;
  std::map<std::string, std::unique_ptr<const TrainingDevice>> devices;
  SweepResult result;
  std::optional<Error> first;
  for (const Experiment& experiment : experiments) {
    try {
      auto device = devices.find(experiment.device);
      if (device == devices.end()) {
        device = devices
                     .emplace(experiment.device,
                              read_training_device(experiment.device, experiment.options))
                     .first;
      }
      result.points.push_back(predictor.predict(experiment, *device->second));
    } catch (const Error& error) {
      if (!first) first = error;
      result.errors.emplace_back(error.what());
    }
  }
  if (result.points.empty()) throw *first;
  return result;
}

}  // namespace paceline
