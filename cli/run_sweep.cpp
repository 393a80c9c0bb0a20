#include "cli/run_sweep.h"

#include <map>

#include "answers/compare/idle_settings.h"
#include "cli/experiment_flags.h"
#include "cli/progress.h"
#include "simulator/report/tf32_remark.h"

namespace paceline {

const Prediction& SweepResult::only(const char* command) const {
  if (!single) {
    throw UsageError(std::string(command) +
                     " takes one experiment, not a sweep; paceline compare takes several");
  }
  return *single;
}

namespace {

// By name: a report says what a device is called, not the file that it was read from.
std::map<std::string, const DeviceSpec*> specs_of(SweepResult& result) {
  std::map<std::string, const DeviceSpec*> specs;
  for (const Experiment& experiment : result.experiments) {
    try {
      const TrainingDevice& device = result.devices.at(experiment);
      specs[device.name()] = device.spec();
    } catch (const Error&) {  // among the skipped points
    }
  }
  return specs;
}

void say_what_fp32_leaves_out(SweepResult& result) {
  const std::map<std::string, const DeviceSpec*> specs = specs_of(result);
  const auto remark = [&](Report& report) {
    const auto spec = specs.find(report.experiment.device);
    if (spec == specs.end()) return;
    const auto text = tf32_remark(report, spec->second);
    if (text) report.warnings.push_back(*text);
  };
  for (Report& report : result.reports) remark(report);
  if (result.single) remark(result.single->report);
}

}  // namespace

SweepResult run_sweep(const Arguments& arguments) {
  SweepResult result;
  ExperimentPoints asked = read_experiments(arguments);
  result.experiments = std::move(asked.points);
  result.skipped = std::move(asked.skipped);
  Progress progress("predicting", result.experiments.size());
  SweepOptions options;
  options.largest_batch = true;
  options.done = [&](std::size_t count) { progress.done(count); };
  static_cast<Sweep&>(result) = predict_sweep(result.experiments, options, result.devices);
  if (!result.skipped.empty()) result.single.reset();  // what is left of a sweep
  for (const Error& error : result.errors) result.skipped.add(error);
  if (result.reports.empty()) throw *result.skipped.first();
  refuse_idle_settings(result.experiments, result.devices);
  if (!arguments.has("precision")) say_what_fp32_leaves_out(result);
  return result;
}

}  // namespace paceline
