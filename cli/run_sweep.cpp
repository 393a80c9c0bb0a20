#include "cli/run_sweep.h"

#include "answers/compare/idle_settings.h"
#include "cli/experiment_flags.h"
#include "cli/progress.h"

namespace paceline {

const Prediction& SweepResult::only(const char* command) const {
  if (!single) {
    throw UsageError(std::string(command) +
                     " takes one experiment, not a sweep; paceline compare takes several");
  }
  return *single;
}

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
  return result;
}

}  // namespace paceline
