#include "simulator/report/prediction.h"

#include <algorithm>

#include "core/error.h"
#include "core/names.h"
#include "core/statistics.h"
#include "model/analytic/iteration_time.h"
#include "model/import/imported_model.h"
#include "simulator/lower/lower.h"
#include "simulator/lower/plan.h"
#include "simulator/report/report_parts.h"

namespace paceline {
namespace {

constexpr double kWideInterval = 1.5;  // p95 / p05 beyond which the headline carries a warning

Estimate estimate(double median, std::vector<double> draws) {
  Estimate out{median, median, median};
  if (draws.empty()) return out;
  out.p05 = std::min(median, quantile(draws, 0.05));
  out.p95 = std::max(median, quantile(std::move(draws), 0.95));
  return out;
}

// A rate of `amount` per iteration: the slow end of the time is the low end of the rate.
Estimate rate(double amount, const Estimate& time) {
  return {amount / time.median, amount / time.p95, amount / time.p05};
}

void check_names(const Experiment& e, const FrameworkRegistry& frameworks) {
  frameworks.make(e.framework);  // throws with the nearest name
  if (normalized_name(e.strategy) != "none") {
    throw UsageError("--strategy " + e.strategy +
                     " is not supported yet; one device needs none (--strategy none)");
  }
  if (e.precision != Precision::kFp32) {
    throw UsageError("--precision " + std::string(to_string(e.precision)) +
                     " is not supported yet on a CPU; use fp32");
  }
  if (e.devices != 1) {
    throw UsageError("--gpus " + std::to_string(e.devices) + " is not supported yet; use 1");
  }
}

std::vector<std::string> warnings(const Report& r, const IterationPlan& plan,
                                  const CpuDevice& device) {
  std::vector<std::string> out = collect_warnings(plan);
  const int threads = r.experiment.threads;
  if (r.iteration_time_s.p95 > kWideInterval * r.iteration_time_s.p05) {
    out.emplace_back("the interval is wide: measure again with more rounds");
  }
  if (threads > device.cores()) {
    out.push_back(std::to_string(threads) + " threads on " + std::to_string(device.cores()) +
                  " cores: what they cost one another is not modelled");
  }
  if (!r.memory.fits()) out.emplace_back("does not fit in the memory of the device");
  return out;
}

}  // namespace

Predictor::Predictor() : workloads_(workload_registry()), frameworks_(framework_registry()) {}

Experiment Predictor::resolve(const Experiment& experiment, const CpuDevice& device) const {
  check_names(experiment, frameworks_);
  Experiment e = experiment;
  e.framework = frameworks_.find(e.framework)->name;
  e.strategy = normalized_name(e.strategy);
  if (e.threads == 0) e.threads = std::max(1, device.cores());
  const ImportedModel model = load_model(workloads_, e.model);
  if (workloads_.find(e.model) != nullptr) e.model = model.name;
  if (!e.seq) e.seq = model.workload.default_seq;
  const auto& variants = model.workload.variants;
  if (!variants.empty()) e.options.try_emplace("variant", variants[0].name);
  return e;
}

WorkloadGraph Predictor::build(const Experiment& e) const {
  const ImportedModel model = load_model(workloads_, e.model);
  return build_workload(model.name, model.workload,
                        {.batch = e.batch, .seq = e.seq, .choose = e.options});
}

IterationPlan Predictor::plan(const Experiment& e, const WorkloadGraph& graph,
                              const CostModel& costs, const HostCosts& host) const {
  ExecutionContext context;
  context.threads = e.threads;
  const std::unique_ptr<const Framework> framework = frameworks_.make(e.framework);
  IterationPlan plan =
      plan_iteration(framework->issue(graph, context), costs, host, context, e.grad_accumulation);
  plan.composition_sd = framework->info().composition_sd;
  return plan;
}

Prediction Predictor::predict(const Experiment& experiment, const CpuDevice& device) const {
  const Experiment e = resolve(experiment, device);
  const std::unique_ptr<const Framework> framework = frameworks_.make(e.framework);
  WorkloadGraph graph = build(e);
  const HostCosts host = read_host_costs(device.parameters(), framework->info());
  IterationPlan iteration = plan(e, graph, device.costs(), host);

  Report r;
  r.experiment = e;
  const double time = simulate_cpu_iteration(iteration).seconds().si();
  r.iteration_time_s = estimate(time, draw_serial_iteration_times(iteration, e.seed, e.draws));
  const double samples = static_cast<double>(e.samples_per_iteration());
  r.throughput_samples_per_s = rate(samples, r.iteration_time_s);
  if (graph.tokens_per_sample()) {
    const double tokens = samples * static_cast<double>(*graph.tokens_per_sample());
    r.throughput_tokens_per_s = rate(tokens, r.iteration_time_s);
  }
  r.breakdown = serial_breakdown(iteration);
  r.phases = serial_phases(iteration);
  r.bottleneck = find_bottleneck(iteration);
  ExecutionContext context;
  context.threads = e.threads;
  r.memory = framework->memory(graph, context);
  r.memory.capacity = static_cast<std::int64_t>(device.memory().si());
  r.flops_per_iteration = static_cast<double>(e.grad_accumulation) * graph.training_flops();
  r.model_flops_utilization = r.flops_per_iteration / Seconds(time) / device.peak(e.threads);
  r.origins = collect_origins(iteration);
  r.inputs = {device.file()};
  r.warnings = warnings(r, iteration, device);
  for (std::string& assumption : load_model(workloads_, e.model).assumptions) {
    r.warnings.push_back("model file: " + std::move(assumption));
  }
  return {std::move(graph), std::move(iteration), std::move(r)};
}

}  // namespace paceline
