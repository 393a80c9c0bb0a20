#include "simulator/report/prediction.h"

#include <algorithm>
#include <future>

#include "core/error.h"
#include "core/names.h"
#include "model/hardware/device_file.h"
#include "model/import/imported_model.h"
#include "simulator/engine/engine.h"
#include "simulator/lower/lower.h"
#include "simulator/report/fp8_share.h"
#include "simulator/report/input_pipeline.h"
#include "simulator/report/prediction_setup.h"
#include "simulator/report/report_parts.h"

namespace paceline {
namespace {

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
  report.throughput_samples_per_s = rate_of(samples, time);
  if (report.throughput_tokens_per_s) report.throughput_tokens_per_s = rate_of(tokens, time);
  report.model_flops_utilization *= training.si() / time.median;
  add_input_wait(input, training, report);
}

// What can be set of a device, besides the flag --probe.
std::vector<std::string> device_options(DeviceKind kind) {
  if (kind == DeviceKind::kCpu) return {"sockets"};
  return {"clock", "power", "ecc"};
}

// An option of --set that neither the device, nor the network, nor the framework, nor the strategy
// has.
void refuse_unknown_options(const SplitSettings& settings, const Experiment& e,
                            const ImportedModel& model, const Framework& framework, DeviceKind kind,
                            const JobPredictor& jobs) {
  for (const auto& [key, value] : settings.workload) {
    if (key == "variant") continue;
    const DeviceKind other = kind == DeviceKind::kCpu ? DeviceKind::kGpu : DeviceKind::kCpu;
    const std::vector<FrameworkOption> elsewhere = framework.options(other);
    if (std::ranges::find(elsewhere, key, &FrameworkOption::name) != elsewhere.end()) {
      const bool on_gpus = other == DeviceKind::kGpu;
      throw UsageError("--set " + key + " is an option of " + e.framework + " on " +
                       (on_gpus ? "GPUs; " : "CPUs; ") + e.device + " is a " +
                       (on_gpus ? "CPU" : "GPU"));
    }
    const std::vector<std::string> strategies = jobs.strategies_with(key);
    if (strategies.empty()) {
      std::vector<std::string> known = jobs.option_names(e);
      for (const FrameworkOption& option : framework.options(kind)) known.push_back(option.name);
      for (std::string& option : device_options(kind)) known.push_back(std::move(option));
      known.emplace_back("variant");
      throw UsageError(unknown_name_message(
          "option of " + model.name + ", " + e.device + ", " + e.framework + " and " + e.strategy,
          key, known));
    }
    std::string owners;
    for (const std::string& name : strategies) owners += (owners.empty() ? "" : ", ") + name;
    throw UsageError("--set " + key + " is not an option of --strategy " + e.strategy +
                     "; it is one of " + owners);
  }
}

// What decides how long layers take decides nothing where their times are given, nor does how 16
// bits are used where there are none, nor how weights are updated where they are not.
void refuse_without_effect(const Experiment& e, const std::vector<FrameworkOption>& options) {
  const bool wide = element_size(e.precision) >= Bytes(4);
  const auto phases = e.options.find("phases");
  const bool updates = phases == e.options.end() || same_name(phases->second, "training");
  for (const FrameworkOption& option : options) {
    const auto chosen = e.options.find(option.name);
    if (chosen == e.options.end() || same_name(chosen->second, option.value)) continue;
    if (option.of_layers && e.profile) {
      throw UsageError("--set " + option.name +
                       " has no effect with --profile: the times of layers are those of the file");
    }
    if (option.of_update && !updates) {
      throw UsageError("--set " + option.name + "=" + chosen->second +
                       " has no effect with --set phases=" + phases->second +
                       ", which updates no weight; phases=training does");
    }
    if (option.of_narrow && wide) {
      throw UsageError("--set " + option.name + "=" + chosen->second +
                       " has no effect with --precision " + std::string(to_string(e.precision)) +
                       "; fp16, bf16 and fp8 are allowed");
    }
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
  if (is_device_path(e.device) || same_name(e.device, "cpu")) e.device_given = e.device;
  e.device = device.name();
  if (device.kind() == DeviceKind::kGpu) {
    if (e.threads > 1) throw UsageError("--threads is of CPUs; " + device.name() + " is a GPU");
    e.threads = 0;
  } else if (e.threads == 0) {
    e.threads = std::max(1, device.cores());
  } else {
    check_threads(device, e.threads);
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

std::vector<Setting> Predictor::settings(const Experiment& e, const TrainingDevice& device) const {
  std::vector<Setting> out;
  for (const FrameworkOption& option : frameworks_.make(e.framework)->options(device.kind())) {
    out.push_back(setting_of(option));
  }
  for (const StrategyOption& option : jobs_.settings(e)) out.push_back(setting_of(option));
  return out;
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

Predictor::MemoryAnswer Predictor::memory(const Experiment& e, const TrainingDevice& device,
                                          bool largest_batch) const {
  const PredictionSetup setup(e, device, frameworks_, jobs_);
  const ImportedModel model = load(e);
  const WorkloadGraph graph = setup.build(model, e.batch);
  StrategyMemory kept;
  if (JobPredictor::concerns(e)) {
    const IterationPlan plan = setup.plan(graph, device.costs(), setup.host());
    const std::optional<IterationPlan> whole = setup.whole_batch(model, e);
    kept = jobs_.memory(e, plan, setup.job_device(whole));
  }
  if (e.precision == Precision::kFp8)
    fp8_remark(e, setup.plan(graph, device.costs(), setup.host()));
  const HeldMemory memory(memory_, setup, model, graph);
  MemoryAnswer out{memory.with(kept), std::nullopt, {}};
  if (!largest_batch) return out;
  out.largest_batch = memory.largest_batch(kept);
  out.largest_certain_batch = memory.largest_certain_batch(kept);
  return out;
}

std::int64_t Predictor::largest_batch(const Experiment& e, const TrainingDevice& device) const {
  return memory(e, device).largest_batch.value_or(0);
}

std::string Predictor::work_key(const Experiment& e, const TrainingDevice& device) const {
  // Shares are worded by it.
  return (e.devices > 1 ? "job|" : "device|") + computing_key(e, device);
}

std::string Predictor::computing_key(const Experiment& e, const TrainingDevice& device) const {
  const auto framework = frameworks_.make(e.framework);
  Experiment own = e;
  for (const std::string& key : split_settings(*framework, device.kind(), e, jobs_).job) {
    own.options.erase(key);
  }
  std::string key;
  for (const std::string& part :
       {e.model, std::to_string(e.batch), std::to_string(e.seq.value_or(0)),
        std::string(to_string(e.precision)), e.device, e.device_given.value_or(""),
        std::to_string(e.threads), e.framework, e.optimizer, std::to_string(e.grad_accumulation),
        std::to_string(e.seed), std::to_string(e.draws)}) {
    key += part + "|";
  }
  for (const auto& [name, value] : own.options) key += name + "=" + value + "|";
  return key;
}

std::unique_ptr<const DeviceWork> Predictor::work(const Experiment& e,
                                                  const TrainingDevice& device) const {
  return std::make_unique<const DeviceWork>(e, device, load(e), frameworks_, jobs_, memory_,
                                            computing_key(e, device));
}

StrategyMemory Predictor::strategy_memory(const Experiment& e, const DeviceWork& work) const {
  if (!JobPredictor::concerns(e)) return {};
  const std::optional<IterationPlan> whole = work.setup.whole_batch(work.model, e);
  return jobs_.memory(e, work.plan, work.setup.job_device(whole));
}

Report Predictor::alone(const Experiment& e, const DeviceWork& work, const StrategyMemory& kept,
                        MemoryTape* tape) const {
  Report r = work.report();
  r.experiment = e;
  const MemoryResult& memory = work.memory.with(kept);
  r.memory = memory.use;
  // First: what cannot run has no time.
  if (!memory.use.fits()) {
    r.warnings.insert(r.warnings.begin(), "does not fit in the memory of the device");
  }
  r.warnings.insert(r.warnings.end(), memory.warnings.begin(), memory.warnings.end());
  if (tape != nullptr) *tape = memory.tape;
  return r;
}

Report Predictor::report(const Experiment& e, const DeviceWork& work, const StrategyMemory& kept,
                         MemoryTape* tape) const {
  Report r = alone(e, work, kept, tape);
  if (!JobPredictor::concerns(e)) {
    const auto wide = wide_interval(r.iteration_time_s, {}, work.device.narrowing());
    if (wide) r.warnings.push_back(*wide);
    return r;
  }
  const std::optional<IterationPlan> whole = work.setup.whole_batch(work.model, e);
  jobs_.apply(e, work.plan, work.setup.job_device(whole), r);
  if (work.input) wait_for_input(*work.input, r);
  return r;
}

JobResult Predictor::without_messages(const Experiment& e, const DeviceWork& work) const {
  const std::optional<IterationPlan> whole = work.setup.whole_batch(work.model, e);
  return jobs_.without_messages(e, work.plan, work.setup.job_device(whole));
}

Prediction Predictor::predict(const Experiment& experiment, const TrainingDevice& device,
                              bool largest_batch) const {
  std::optional<ImportedModel> model;
  const Experiment e = resolve(experiment, device, model);
  DeviceWork work(e, device, std::move(*model), frameworks_, jobs_, memory_,
                  computing_key(e, device));
  const StrategyMemory kept = strategy_memory(e, work);
  std::future<void> search;
  if (largest_batch) {
    search = std::async(std::launch::async, [&] { work.memory.largest_batch(kept); });
  }
  MemoryTape tape;
  Report r = report(e, work, kept, &tape);
  if (search.valid()) {
    search.wait();
    r.largest_batch = work.memory.largest_batch(kept).value_or(0);
  }
  return {std::move(work.graph), std::move(work.plan), std::move(r), std::move(tape)};
}

Timeline Predictor::timeline(const Prediction& prediction, const TrainingDevice& device,
                             int iterations) const {
  const Experiment& e = prediction.report.experiment;
  if (!JobPredictor::concerns(e)) {
    const LoweredRun run = lower(prediction.plan, iterations);
    return simulate(run.graph, run.platform);
  }
  const PredictionSetup setup(e, device, frameworks_, jobs_);
  const std::optional<IterationPlan> whole = setup.whole_batch(load(e), e);
  return jobs_.timeline(e, prediction.plan, setup.job_device(whole), iterations);
}

}  // namespace paceline
