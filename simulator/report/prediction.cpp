#include "simulator/report/prediction.h"

#include <algorithm>

#include "core/error.h"
#include "core/names.h"
#include "core/statistics.h"
#include "model/analytic/iteration_time.h"
#include "model/cost/least_arithmetic.h"
#include "model/import/imported_model.h"
#include "simulator/engine/engine.h"
#include "simulator/lower/lower.h"
#include "simulator/report/input_pipeline.h"
#include "simulator/report/memory_request.h"
#include "simulator/report/prediction_setup.h"
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

// What kernels are shares of: a job of several devices also waits.
std::string_view computing_of(const Experiment& e) {
  return e.devices > 1 ? "the computing" : "the iteration";
}

std::vector<std::string> warnings(const Report& r, const IterationPlan& plan,
                                  const TrainingDevice& device) {
  std::vector<std::string> out = collect_warnings(plan, computing_of(r.experiment));
  if (r.iteration_time_s.p95 > kWideInterval * r.iteration_time_s.p05) {
    out.emplace_back(device.kind() == DeviceKind::kCpu
                         ? "the interval is wide: measure again with more rounds"
                         : "the interval is wide: a few timings of this device would narrow it");
  }
  if (!r.memory.fits()) out.emplace_back("does not fit in the memory of the device");
  return out;
}

// A job waits for the batches of its devices as one device does.
void wait_for_input(const InputPipeline& input, Report& report) {
  const Seconds training(report.iteration_time_s.median);
  if (!(input.period() > training)) return;
  Estimate& time = report.iteration_time_s;
  const double samples = report.throughput_samples_per_s.median * time.median;
  const double tokens =
      report.throughput_tokens_per_s ? report.throughput_tokens_per_s->median * time.median : 0;
  for (double* value : {&time.median, &time.p05, &time.p95}) {
    *value = std::max(*value, input.period().si());
  }
  report.throughput_samples_per_s = rate(samples, time);
  if (report.throughput_tokens_per_s) report.throughput_tokens_per_s = rate(tokens, time);
  report.model_flops_utilization *= training.si() / time.median;
  add_input_wait(input, training, report);
}

// Defaults that a model file left open.
std::vector<std::string> assumptions(const ImportedModel& model) {
  std::vector<std::string> out;
  for (const std::string& assumption : model.assumptions) {
    out.push_back("model file: " + assumption);
  }
  return out;
}

// An option of --set that neither the network, nor the framework, nor the strategy has.
void refuse_unknown_options(const SplitSettings& settings, const Experiment& e,
                            const ImportedModel& model, const Framework& framework, DeviceKind kind,
                            const JobPredictor& jobs) {
  for (const auto& [key, value] : settings.workload) {
    if (key == "variant") continue;
    const std::vector<std::string> strategies = jobs.strategies_with(key);
    if (strategies.empty()) {
      std::vector<std::string> known = jobs.option_names(e);
      for (const FrameworkOption& option : framework.options(kind)) known.push_back(option.name);
      known.emplace_back("variant");
      throw UsageError(unknown_name_message(
          "option of " + model.name + ", " + e.framework + " and " + e.strategy, key, known));
    }
    std::string owners;
    for (const std::string& name : strategies) owners += (owners.empty() ? "" : ", ") + name;
    throw UsageError("--set " + key + " is not an option of --strategy " + e.strategy +
                     "; it is one of " + owners);
  }
}

std::optional<std::string> padding(const ImportedModel& model,
                                   const std::optional<std::int64_t>& seq) {
  const std::vector<std::int64_t>& buckets = model.workload.buckets;
  if (!seq || buckets.empty()) return std::nullopt;
  const auto bucket = std::lower_bound(buckets.begin(), buckets.end(), *seq);
  if (bucket == buckets.end() || *bucket == *seq) return std::nullopt;
  return "sequences of " + std::to_string(*seq) + " are padded to the bucket of " +
         std::to_string(*bucket);
}

// What decides how long layers take decides nothing where their times are given.
void refuse_without_effect(const Experiment& e, const std::vector<FrameworkOption>& options) {
  if (!e.profile) return;
  for (const FrameworkOption& option : options) {
    const bool of_layers = option.name == "layout" || option.name == "workspace_limit" ||
                           option.name == "rnn" || option.name == "graphs" ||
                           option.name == "compile";
    const auto chosen = e.options.find(option.name);
    if (!of_layers || chosen == e.options.end() || same_name(chosen->second, option.value))
      continue;
    throw UsageError("--set " + option.name +
                     " has no effect with --profile: the times of layers are those of the file");
  }
}

}  // namespace

Predictor::Predictor(const JobResiduals& residuals)
    : workloads_(workload_registry()), frameworks_(framework_registry()), jobs_(residuals) {}

ImportedModel Predictor::load(const Experiment& e) const { return load_model(workloads_, e.model); }

Experiment Predictor::resolve(const Experiment& experiment, const TrainingDevice& device) const {
  std::optional<ImportedModel> model;
  return resolve(experiment, device, model);
}

Experiment Predictor::resolve(const Experiment& experiment, const TrainingDevice& device,
                              std::optional<ImportedModel>& model) const {
  // Throws with the nearest name.
  const std::unique_ptr<const Framework> framework = frameworks_.make(experiment.framework);
  Experiment e = experiment;
  refuse_without_effect(e, framework->options(device.kind()));
  e.framework = frameworks_.find(e.framework)->name;
  if (e.strategy.empty()) e.strategy = e.devices > 1 ? framework->info().default_strategy : "none";
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
  model = load(e);
  if (workloads_.find(e.model) != nullptr) e.model = model->name;
  if (e.devices > 1 && element_size(e.precision) < Bytes(4)) {
    e.options.merge(jobs_.settings_at_16_bits(e));
  }
  const SplitSettings settings = split_settings(*framework, device.kind(), e, jobs_);
  refuse_unknown_options(settings, e, *model, *framework, device.kind(), jobs_);
  if (!e.seq) e.seq = model->workload.default_seq;
  const auto& variants = model->workload.variants;
  if (!variants.empty()) e.options.try_emplace("variant", variants[0].name);
  for (const auto& [key, value] : settings.framework) {
    e.options[key] = value;
    if (key == "optimizer") e.optimizer = value;
  }
  return e;
}

std::optional<Contention> Predictor::contention(const Experiment& e,
                                                const TrainingDevice& device) const {
  return jobs_.contention(e, PredictionSetup(e, device, frameworks_, jobs_).job_device({}));
}

WorkloadGraph Predictor::build(const Experiment& e, const TrainingDevice& device) const {
  return PredictionSetup(e, device, frameworks_, jobs_).build(load(e), e.batch);
}

IterationPlan Predictor::plan(const Experiment& e, const TrainingDevice& device,
                              const WorkloadGraph& graph, const CostModel& costs,
                              const HostCosts& host) const {
  return PredictionSetup(e, device, frameworks_, jobs_).plan(graph, costs, host);
}

StrategyMemory Predictor::strategy_memory(const PredictionSetup& setup,
                                          const IterationPlan& iteration,
                                          const std::optional<IterationPlan>& whole) const {
  const Experiment& e = setup.experiment();
  if (!JobPredictor::concerns(e)) return {};
  return jobs_.memory(e, iteration, setup.job_device(whole));
}

MemoryResult Predictor::memory_of(const PredictionSetup& setup, const WorkloadGraph& graph,
                                  const StrategyMemory& strategy) const {
  MemoryRequest request = memory_request(setup.experiment(), setup.device(), setup.settings(),
                                         setup.context().workspace_limit);
  request.setting.strategy = strategy;
  return memory_.predict(graph, request);
}

Predictor::MemoryAnswer Predictor::memory(const Experiment& e, const TrainingDevice& device) const {
  const PredictionSetup setup(e, device, frameworks_, jobs_);
  const ImportedModel model = load(e);
  const WorkloadGraph graph = setup.build(model, e.batch);
  StrategyMemory strategy;
  if (JobPredictor::concerns(e)) {
    strategy = strategy_memory(setup, setup.plan(graph, device.costs(), setup.host()),
                               setup.whole_batch(model));
  }
  MemoryResult asked = memory_of(setup, graph, strategy);
  const auto spare = [&](std::int64_t batch) {
    return batch == e.batch ? asked.use.margin()
                            : memory_of(setup, setup.build(model, batch), strategy).use.margin();
  };
  const std::optional<std::int64_t> largest = largest_that_fits(e.batch, spare);
  return {std::move(asked), largest};
}

std::int64_t Predictor::largest_batch(const Experiment& e, const TrainingDevice& device) const {
  return memory(e, device).largest_batch.value_or(0);
}

Prediction Predictor::predict(const Experiment& experiment, const TrainingDevice& device) const {
  std::optional<ImportedModel> model;
  const Experiment e = resolve(experiment, device, model);
  const PredictionSetup setup(e, device, frameworks_, jobs_);
  WorkloadGraph graph = setup.build(*model, e.batch);
  IterationPlan iteration = setup.plan(graph, device.costs(), setup.host());
  const std::optional<IterationPlan> whole = setup.whole_batch(*model);

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
  r.bottleneck = find_bottleneck(iteration, computing_of(e));
  if (input) add_input_wait(*input, Seconds(training), r);
  MemoryResult memory = memory_of(setup, graph, strategy_memory(setup, iteration, whole));
  r.memory = memory.use;
  const bool forward_only = setup.is_set("phases", "forward");
  const double micro_batches = static_cast<double>(e.grad_accumulation);
  r.flops_per_iteration =
      micro_batches * (forward_only ? graph.forward_flops() : graph.training_flops());
  const bool on_matrix_units =
      device.spec() != nullptr && device.spec()->uses_matrix_units(e.precision);
  r.least_flops_per_iteration =
      micro_batches * (forward_only ? least_forward_flops(graph, e.precision, on_matrix_units)
                                    : least_training_flops(graph, e.precision, on_matrix_units));
  r.model_flops_utilization =
      r.flops_per_iteration / Seconds(time) / device.peak(e.precision, std::max(1, e.threads));
  r.origins = collect_origins(iteration);
  r.inputs = device.inputs();
  r.warnings = warnings(r, iteration, device);
  r.warnings.insert(r.warnings.end(), memory.warnings.begin(), memory.warnings.end());
  if (!model->file.empty()) r.inputs.push_back({model->file, model->sha256});
  // First: they decide what was predicted, and a screen shows only so many.
  const std::vector<std::string> assumed = assumptions(*model);
  r.warnings.insert(r.warnings.begin(), assumed.begin(), assumed.end());
  if (const auto padded = padding(*model, e.seq)) r.warnings.push_back(*padded);
  if (JobPredictor::concerns(e)) {
    jobs_.apply(e, iteration, setup.job_device(whole), r);
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
  const PredictionSetup setup(e, device, frameworks_, jobs_);
  const std::optional<IterationPlan> whole = setup.whole_batch(load(e));
  return jobs_.timeline(e, prediction.plan, setup.job_device(whole), iterations);
}

}  // namespace paceline
