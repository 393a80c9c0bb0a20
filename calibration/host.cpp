#include "calibration/host.h"

#include <cmath>

#include "core/error.h"
#include "core/statistics.h"
#include "model/analytic/iteration_time.h"
#include "model/cost/fitted.h"
#include "model/graph/workload.h"
#include "simulator/lower/host_costs.h"
#include "simulator/lower/plan.h"

namespace paceline {
namespace {

// A single run says nothing about its own repeatability.
constexpr double kErrorOfOneRun = 0.1;

// Seconds per unit call of one run.
double seconds_per_call(const RecordedRun& run, Seconds kernels, double calls) {
  const RecordedRound& best = run.best();
  const double host = (best.forward + best.backward + best.optimizer - kernels).si();
  if (!(host > 0)) {
    throw InputError("host cost of " + run.experiment.model + ", batch " +
                     std::to_string(run.experiment.batch) +
                     ": its kernels alone are predicted to take longer than the iteration; record "
                     "a smaller network");
  }
  return host / calls;
}

// The calls of a recorded run; names its framework's fit.
IssuedIteration issue(const RecordedRun& run, const ExecutionContext& context,
                      const WorkloadRegistry& workloads, const FrameworkRegistry& frameworks,
                      Fit& fit) {
  try {
    const auto framework = frameworks.make(run.experiment.framework);
    fit.implementation = framework->info().host_fit;
    return framework->issue(
        build_workload(workloads, run.experiment.model,
                       {.batch = run.experiment.batch, .seq = run.experiment.seq}),
        context, {});
  } catch (const UsageError& error) {  // what the recording says is not known here
    throw InputError(run.place + "/experiment: " + error.what());
  }
}

}  // namespace

Fit fit_host(const Recording& recording, const ParameterSet& kernels) {
  const FittedCostModel costs(kernels);
  const WorkloadRegistry workloads = workload_registry();
  const FrameworkRegistry frameworks = framework_registry();
  std::vector<double> log_seconds;
  Fit fit;
  fit.formula = "framework.host/1";
  for (const RecordedRun& run : recording.runs) {
    if (!run.measured()) continue;
    ExecutionContext context;
    context.threads = run.experiment.threads;
    const IssuedIteration issued = issue(run, context, workloads, frameworks, fit);
    const Seconds priced =
        serial_iteration_time(plan_iteration(issued, costs, {}, context)).seconds();
    log_seconds.push_back(std::log(seconds_per_call(run, priced, count_host_calls(issued))));
    ++fit.quality.samples;
  }
  if (fit.quality.samples == 0) {
    throw InputError(recording.file + ": no run was measured, so there is no host cost to fit");
  }
  const double error = log_seconds.size() < 2 ? kErrorOfOneRun : standard_deviation(log_seconds);
  fit.parameters.push_back({.name = "call",
                            .value = std::exp(mean(log_seconds)),
                            .std_error = error,
                            .unit = "s",
                            .scale = ParameterScale::kLog});
  fit.quality.residual_sd = error;
  fit.quality.shared_sd = fit.quality.residual_sd;
  return fit;
}

}  // namespace paceline
