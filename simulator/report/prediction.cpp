#include "simulator/report/prediction.h"

#include <algorithm>

#include "core/error.h"
#include "core/names.h"
#include "core/statistics.h"
#include "model/analytic/iteration_time.h"
#include "model/import/imported_model.h"
#include "simulator/engine/engine.h"
#include "simulator/frameworks/gpu/gpu_issuer.h"
#include "simulator/lower/lower.h"
#include "simulator/lower/plan.h"
#include "simulator/memory/sharding.h"
#include "simulator/report/input_pipeline.h"
#include "simulator/report/memory_request.h"
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

std::vector<std::string> warnings(const Report& r, const IterationPlan& plan,
                                  const TrainingDevice& device) {
  std::vector<std::string> out = collect_warnings(plan);
  if (r.iteration_time_s.p95 > kWideInterval * r.iteration_time_s.p05) {
    out.emplace_back(device.kind() == DeviceKind::kCpu
                         ? "the interval is wide: measure again with more rounds"
                         : "the interval is wide: a few timings of this device would narrow it");
  }
  if (!r.memory.fits()) out.emplace_back("does not fit in the memory of the device");
  return out;
}

}  // namespace

Predictor::Predictor() : workloads_(workload_registry()), frameworks_(framework_registry()) {}

namespace {

// Splits --set: what belongs to the device is used already, what belongs to the framework becomes
// its settings, the rest is the workload's.
struct Settings {
  FrameworkSettings framework;
  std::map<std::string, std::string> workload;
};

Settings split_settings(const Framework& framework, DeviceKind kind, const Experiment& e,
                        const JobPredictor& jobs) {
  const std::vector<std::string> of_job = jobs.option_names(e);
  const std::vector<FrameworkOption> options = framework.options(kind);
  Settings out{resolve_settings(options, e.options), {}};
  for (const auto& [key, value] : e.options) {
    if (is_device_option(key) || is_input_option(key) || out.framework.contains(key)) continue;
    if (std::ranges::find(of_job, key) != of_job.end()) continue;
    out.workload[key] = value;
  }
  return out;
}

ExecutionContext context_of(const Experiment& e, const TrainingDevice& device,
                            const FrameworkSettings& settings) {
  ExecutionContext context;
  context.threads = std::max(1, e.threads);
  context.device = device.kind() == DeviceKind::kGpu ? device.spec() : nullptr;
  if (context.device != nullptr) context.workspace_limit = gpu::workspace_limit(settings);
  return context;
}

bool is_on(const FrameworkSettings& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found != settings.end() && found->second == "on";
}

// A job waits for the batches of its devices as one device does.
void wait_for_input(const InputPipeline& input, Report& report) {
  const Seconds training(report.iteration_time_s.median);
  const double stretch = input.period() / training;
  if (!(stretch > 1)) return;
  for (Estimate* rate :
       {&report.throughput_samples_per_s,
        report.throughput_tokens_per_s ? &*report.throughput_tokens_per_s : nullptr}) {
    if (rate == nullptr) continue;
    for (double* value : {&rate->median, &rate->p05, &rate->p95}) *value /= stretch;
  }
  for (double* value : {&report.iteration_time_s.median, &report.iteration_time_s.p05,
                        &report.iteration_time_s.p95}) {
    *value = std::max(*value, input.period().si());
  }
  add_input_wait(input, training, report);
}

JobDevice job_device(const Experiment& e, const TrainingDevice& device,
                     const FrameworkSettings& settings,
                     const std::optional<IterationPlan>& whole_batch) {
  const DeviceSpec* spec = device.spec();
  return {.costs = &device.costs(),
          .context = context_of(e, device, settings),
          .catalog_name = spec == nullptr ? "" : spec->name,
          .processor = device.kind() == DeviceKind::kCpu,
          .whole_batch = whole_batch ? &*whole_batch : nullptr};
}

}  // namespace

std::optional<IterationPlan> Predictor::whole_batch(const Experiment& e,
                                                    const TrainingDevice& device) const {
  if (!e.calibrate || !e.global_batch || e.devices < 2) return std::nullopt;
  Experiment one = e;
  one.batch *= e.devices;
  const HostCosts host = device.host_costs(frameworks_.make(e.framework)->info());
  return plan(one, device, build(one, device), device.costs(), host);
}

Experiment Predictor::resolve(const Experiment& experiment, const TrainingDevice& device) const {
  frameworks_.make(experiment.framework);  // throws with the nearest name
  Experiment e = experiment;
  e.framework = frameworks_.find(e.framework)->name;
  if (e.strategy.empty()) {
    const bool several = e.devices > 1;
    e.strategy = several ? frameworks_.make(e.framework)->info().default_strategy : "none";
  }
  e.strategy = jobs_.strategy_name(e.strategy);
  if (device.kind() == DeviceKind::kGpu) {
    if (e.threads > 1) throw UsageError("--threads is of CPUs; " + device.name() + " is a GPU");
    e.device = device.name();
    e.threads = 0;
  } else if (e.threads == 0) {
    e.threads = std::max(1, device.cores());
  } else if (device.cores() > 0 && e.threads > device.cores()) {
    throw UsageError("--threads " + std::to_string(e.threads) + ": " + device.name() + " has " +
                     std::to_string(device.cores()) + " cores; 1 to " +
                     std::to_string(device.cores()) + " are allowed");
  }
  device.peak(e.precision, std::max(1, e.threads));  // throws if there is no such arithmetic
  const ImportedModel model = load_model(workloads_, e.model);
  if (workloads_.find(e.model) != nullptr) e.model = model.name;
  if (!e.seq) e.seq = model.workload.default_seq;
  const auto& variants = model.workload.variants;
  if (!variants.empty()) e.options.try_emplace("variant", variants[0].name);
  const auto framework = frameworks_.make(e.framework);
  for (const auto& [key, value] : split_settings(*framework, device.kind(), e, jobs_).framework) {
    e.options[key] = value;
    if (key == "optimizer") e.optimizer = value;
  }
  return e;
}

WorkloadGraph Predictor::build(const Experiment& e, const TrainingDevice& device) const {
  const ImportedModel model = load_model(workloads_, e.model);
  const auto framework = frameworks_.make(e.framework);
  const Settings settings = split_settings(*framework, device.kind(), e, jobs_);
  WorkloadGraph graph = build_workload(
      model.name, model.workload, {.batch = e.batch, .seq = e.seq, .choose = settings.workload});
  const DeviceSpec* gpu = device.kind() == DeviceKind::kGpu ? device.spec() : nullptr;
  return framework->prepare(std::move(graph), e.precision, gpu, settings.framework);
}

IterationPlan Predictor::plan(const Experiment& e, const TrainingDevice& device,
                              const WorkloadGraph& graph, const CostModel& costs,
                              const HostCosts& host) const {
  const auto framework = frameworks_.make(e.framework);
  const FrameworkSettings settings = split_settings(*framework, device.kind(), e, jobs_).framework;
  const ExecutionContext context = context_of(e, device, settings);
  IterationPlan plan = plan_iteration(framework->issue(graph, context, settings), costs, host,
                                      context, e.grad_accumulation);
  plan.dispatch = device.dispatch();
  const FrameworkInfo info = framework->info();
  plan.composition_sd =
      device.kind() == DeviceKind::kGpu ? info.gpu_composition_sd : info.composition_sd;
  if (is_on(settings, "graphs")) replay_as_graph(plan, host.graph_launch);
  return plan;
}

StrategyMemory Predictor::strategy_memory(const Experiment& e, const TrainingDevice& device,
                                          const WorkloadGraph& graph,
                                          const IterationPlan& iteration) const {
  if (!JobPredictor::concerns(e)) return {};
  const auto framework = frameworks_.make(e.framework);
  const FrameworkSettings settings = split_settings(*framework, device.kind(), e, jobs_).framework;
  const std::optional<IterationPlan> whole = whole_batch(e, device);
  StrategyMemory out = jobs_.memory(e, iteration, job_device(e, device, settings, whole));
  if (out.weights < 1) {
    const ModelStateSizes sizes = memory_request(e, device, settings, Bytes(0)).setting.state;
    out.gathered_bytes = gathered_bytes(graph, sizes);
  }
  return out;
}

MemoryResult Predictor::memory_of(const WorkloadGraph& graph, const Experiment& e,
                                  const TrainingDevice& device,
                                  const StrategyMemory& strategy) const {
  const auto framework = frameworks_.make(e.framework);
  const FrameworkSettings settings = split_settings(*framework, device.kind(), e, jobs_).framework;
  const Bytes limit = context_of(e, device, settings).workspace_limit;
  MemoryRequest request = memory_request(e, device, settings, limit);
  request.setting.strategy = strategy;
  return memory_.predict(graph, request);
}

Predictor::MemoryAnswer Predictor::memory(const Experiment& e, const TrainingDevice& device) const {
  StrategyMemory strategy;
  const WorkloadGraph graph = build(e, device);
  if (JobPredictor::concerns(e)) {
    const auto framework = frameworks_.make(e.framework);
    const HostCosts host = device.host_costs(framework->info());
    strategy = strategy_memory(e, device, graph, plan(e, device, graph, device.costs(), host));
  }
  const auto fits = [&](std::int64_t batch) {
    Experiment other = e;
    other.batch = batch;
    return memory_of(build(other, device), other, device, strategy).use.fits();
  };
  return {memory_of(graph, e, device, strategy), largest_that_fits(e.batch, fits)};
}

Prediction Predictor::predict(const Experiment& experiment, const TrainingDevice& device) const {
  const Experiment e = resolve(experiment, device);
  const auto framework = frameworks_.make(e.framework);
  WorkloadGraph graph = build(e, device);
  const HostCosts host = device.host_costs(framework->info());
  IterationPlan iteration = plan(e, device, graph, device.costs(), host);

  Report r;
  r.experiment = e;
  const double training = simulate_iteration(iteration).seconds().si();
  double time = training;
  std::vector<double> draws = draw_iteration_times(iteration, e.seed, e.draws);
  const std::optional<InputPipeline> input = read_input_pipeline(e.options);
  if (input) {
    time = std::max(time, input->period().si());
    for (double& draw : draws) draw = std::max(draw, input->period().si());
  }
  r.iteration_time_s = estimate(time, std::move(draws));
  const double samples = static_cast<double>(e.samples_per_iteration());
  r.throughput_samples_per_s = rate(samples, r.iteration_time_s);
  if (graph.tokens_per_sample()) {
    const double tokens = samples * static_cast<double>(*graph.tokens_per_sample());
    r.throughput_tokens_per_s = rate(tokens, r.iteration_time_s);
  }
  r.breakdown = breakdown(iteration);
  r.phases = phase_times(iteration);
  r.bottleneck = find_bottleneck(iteration);
  if (input) add_input_wait(*input, Seconds(training), r);
  const FrameworkSettings settings = split_settings(*framework, device.kind(), e, jobs_).framework;
  MemoryResult memory = memory_of(graph, e, device, strategy_memory(e, device, graph, iteration));
  r.memory = memory.use;
  const auto phases = settings.find("phases");
  const bool forward_only = phases != settings.end() && phases->second == "forward";
  r.flops_per_iteration = static_cast<double>(e.grad_accumulation) *
                          (forward_only ? graph.forward_flops() : graph.training_flops());
  r.model_flops_utilization =
      r.flops_per_iteration / Seconds(time) / device.peak(e.precision, std::max(1, e.threads));
  r.origins = collect_origins(iteration);
  r.inputs = device.inputs();
  r.warnings = warnings(r, iteration, device);
  r.warnings.insert(r.warnings.end(), memory.warnings.begin(), memory.warnings.end());
  ImportedModel model = load_model(workloads_, e.model);
  if (!model.file.empty()) r.inputs.push_back({model.file, model.sha256});
  // First: they decide what was predicted, and a screen shows only so many.
  std::vector<std::string> assumed;
  for (const std::string& assumption : model.assumptions) {
    assumed.push_back("model file: " + assumption);
  }
  r.warnings.insert(r.warnings.begin(), assumed.begin(), assumed.end());
  const std::vector<std::int64_t>& buckets = model.workload.buckets;
  if (e.seq && !buckets.empty()) {
    const auto bucket = std::lower_bound(buckets.begin(), buckets.end(), *e.seq);
    if (bucket != buckets.end() && *bucket != *e.seq) {
      r.warnings.push_back("sequences of " + std::to_string(*e.seq) +
                           " are padded to the bucket of " + std::to_string(*bucket));
    }
  }
  if (JobPredictor::concerns(e)) {
    const std::optional<IterationPlan> whole = whole_batch(e, device);
    jobs_.apply(e, iteration, job_device(e, device, settings, whole), r);
    if (input) wait_for_input(*input, r);
  }
  return {std::move(graph), std::move(iteration), std::move(r), std::move(memory.tape)};
}

Timeline Predictor::timeline(const Prediction& prediction, const TrainingDevice& device,
                             int iterations) const {
  const Experiment& e = prediction.report.experiment;
  if (!JobPredictor::concerns(e)) {
    const LoweredRun run = lower(prediction.plan, iterations);
    return simulate(run.graph, run.platform);
  }
  const auto framework = frameworks_.make(e.framework);
  const FrameworkSettings settings = split_settings(*framework, device.kind(), e, jobs_).framework;
  const std::optional<IterationPlan> whole = whole_batch(e, device);
  return jobs_.timeline(e, prediction.plan, job_device(e, device, settings, whole), iterations);
}

}  // namespace paceline
