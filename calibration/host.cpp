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

struct PhaseSamples {
  std::string parameter;
  std::vector<double> log_seconds_per_call;

  void add(const RecordedExperiment& run, Seconds phase, Seconds kernels, double calls) {
    const double per_call = (phase - kernels).si() / calls;
    if (!(per_call > 0)) {
      throw InputError("host cost of " + run.model + ", batch " + std::to_string(run.batch) +
                       ": its kernels alone are predicted to take longer than the phase of " +
                       parameter + "; record a smaller network");
    }
    log_seconds_per_call.push_back(std::log(per_call));
  }
  double error() const {
    return log_seconds_per_call.size() < 2 ? kErrorOfOneRun
                                           : standard_deviation(log_seconds_per_call);
  }
  Parameter result() const {
    return {.name = parameter,
            .value = std::exp(mean(log_seconds_per_call)),
            .std_error = error(),
            .unit = "s",
            .scale = ParameterScale::kLog};
  }
};

}  // namespace

Fit fit_host(const Recording& recording, const ParameterSet& kernels) {
  const FittedCostModel costs(kernels);
  const WorkloadRegistry workloads = workload_registry();
  const FrameworkRegistry frameworks = framework_registry();
  PhaseSamples forward{"forward_call", {}};
  PhaseSamples backward{"backward_call", {}};
  PhaseSamples optimizer{"optimizer_call", {}};
  Fit fit;
  fit.formula = "framework.host/1";
  for (const RecordedRun& run : recording.runs) {
    if (!run.measured()) continue;
    const auto framework = frameworks.make(run.experiment.framework);
    fit.implementation = framework->info().host_fit;
    ExecutionContext context;
    context.threads = run.experiment.threads;
    const WorkloadGraph graph =
        build_workload(workloads, run.experiment.model,
                       {.batch = run.experiment.batch, .seq = run.experiment.seq});
    const IssuedIteration issued = framework->issue(graph, context);
    const HostCalls calls = count_host_calls(issued);
    const PhaseTimes priced = serial_phases(plan_iteration(issued, costs, {}, context));
    const RecordedRound& best = run.best();
    forward.add(run.experiment, best.forward, priced.forward, calls.forward);
    backward.add(run.experiment, best.backward, priced.backward, calls.backward);
    optimizer.add(run.experiment, best.optimizer, priced.optimizer, calls.optimizer);
    ++fit.quality.samples;
  }
  if (fit.quality.samples == 0) {
    throw InputError(recording.file + ": no run was measured, so there is no host cost to fit");
  }
  for (const PhaseSamples* samples : {&forward, &backward, &optimizer}) {
    fit.parameters.push_back(samples->result());
    fit.quality.residual_sd = std::max(fit.quality.residual_sd, samples->error());
  }
  fit.quality.shared_sd = fit.quality.residual_sd;
  return fit;
}

}  // namespace paceline
