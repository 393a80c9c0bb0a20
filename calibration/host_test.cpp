#include "calibration/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "model/analytic/iteration_time.h"
#include "model/graph/workload.h"
#include "simulator/lower/host_costs.h"
#include "simulator/lower/plan.h"
#include "simulator/report/test_device.h"

namespace paceline {
namespace {

// What a stopwatch would show of tiny-mlp if a call cost this much.
RecordedRun recorded(std::int64_t batch, const HostCosts& host, double scale = 1) {
  const CpuDevice device = made_up_device();
  const ExecutionContext context;
  const WorkloadGraph graph = build_workload(workload_registry(), "tiny-mlp", {.batch = batch});
  const IssuedIteration issued = framework_registry().make("pytorch")->issue(graph, context, {});
  const PhaseTimes phases = serial_phases(plan_iteration(issued, device.costs(), host, context));
  RecordedRun run;
  run.experiment.model = "tiny-mlp";
  run.experiment.batch = batch;
  run.experiment.threads = 1;
  run.experiment.framework = "pytorch";
  RecordedRound round;
  round.samples_s = {(phases.forward + phases.backward + phases.optimizer).si()};
  round.forward = scale * phases.forward;
  round.backward = scale * phases.backward;
  round.optimizer = scale * phases.optimizer;
  run.rounds = {round};
  return run;
}

HostCosts known_costs() {
  HostCosts host;
  host.call = Seconds(1.2e-6);
  return host;
}

TEST(FitHost, RecoversTheCostsThatMadeTheRecording) {
  Recording recording;
  recording.runs = {recorded(1, known_costs()), recorded(4, known_costs())};
  const Fit fit = fit_host(recording, made_up_parameters());
  EXPECT_EQ(fit.implementation, "pytorch.host");
  EXPECT_NEAR(fit.value("call"), 1.2e-6, 1e-12);
  EXPECT_NEAR(fit.quality.residual_sd, 0, 1e-6);
}

// Runs that disagree make an uncertain parameter, not a confident mean.
TEST(FitHost, ErrorIsHowFarRunsDisagree) {
  Recording recording;
  recording.runs = {recorded(1, known_costs()), recorded(1, known_costs(), 1.3)};
  const Fit fit = fit_host(recording, made_up_parameters());
  EXPECT_GT(fit.parameters.at(0).std_error, std::log(1.3) / 2);
}

TEST(FitHost, RefusesARecordingFasterThanItsKernels) {
  Recording recording;
  recording.runs = {recorded(4, known_costs(), 0.01)};
  EXPECT_THROW(fit_host(recording, made_up_parameters()), InputError);
}

TEST(FitHost, RefusesARecordingWithoutAMeasuredRun) {
  EXPECT_THROW(fit_host(Recording{}, made_up_parameters()), InputError);
}

}  // namespace
}  // namespace paceline
