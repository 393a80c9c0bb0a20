#include "simulator/report/device_work.h"

#include <algorithm>

#include "core/statistics.h"
#include "model/analytic/computing_errors.h"
#include "model/analytic/iteration_time.h"
#include "model/cost/least_arithmetic.h"
#include "simulator/lower/lower.h"
#include "simulator/report/attention_remark.h"
#include "simulator/report/fp8_share.h"
#include "simulator/report/report_parts.h"

namespace paceline {
namespace {

Estimate estimate(double median, std::vector<double> draws) {
  Estimate out{median, median, median};
  if (draws.empty()) return out;
  out.p05 = std::min(median, quantile(draws, 0.05));
  out.p95 = std::max(median, quantile(std::move(draws), 0.95));
  return out;
}

// Defaults that a model file left open.
std::vector<std::string> assumptions(const ImportedModel& model) {
  std::vector<std::string> out;
  for (const std::string& assumption : model.assumptions) {
    out.push_back("model file: " + assumption);
  }
  return out;
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

// Host costs are of the framework and of the machine that the device is in.
ErrorScopes error_scopes(const DeviceWork& work) {
  const Experiment& e = work.experiment;
  const std::string device =
      e.device + "|" + e.device_given.value_or("") + "|" + std::to_string(e.threads);
  return {device, device + "|" + e.framework, work.computing};
}

Report report_of(const DeviceWork& work) {
  const Experiment& e = work.experiment;
  const IterationPlan& plan = work.plan;
  Report r;
  r.experiment = e;
  const double training = simulate_iteration(plan).seconds().si();
  double time = training;
  std::vector<double> draws = draw_iteration_times(plan, e.seed, e.draws);
  if (work.input) {
    time = std::max(time, work.input->period().si());
    for (double& draw : draws) draw = std::max(draw, work.input->period().si());
  }
  r.iteration_time_s = estimate(time, std::move(draws));
  r.computing_errors =
      std::make_shared<const ErrorShares>(computing_errors(plan, error_scopes(work)));
  const double samples = static_cast<double>(e.batch * e.grad_accumulation);
  r.throughput_samples_per_s = rate_of(samples, r.iteration_time_s);
  if (work.graph.tokens_per_sample()) {
    const double tokens = samples * static_cast<double>(*work.graph.tokens_per_sample());
    r.throughput_tokens_per_s = rate_of(tokens, r.iteration_time_s);
  }
  r.breakdown = breakdown(plan);
  r.phases = phase_times(plan);
  r.bottleneck = find_bottleneck(plan, computing_of(e));
  const bool forward_only = work.setup.is_set("phases", "forward");
  const double micro_batches = static_cast<double>(e.grad_accumulation);
  r.flops_per_iteration =
      micro_batches * (forward_only ? work.graph.forward_flops() : work.graph.training_flops());
  const DeviceSpec* spec = work.device.spec();
  const bool on_matrix_units = spec != nullptr && spec->uses_matrix_units(e.precision);
  r.least_flops_per_iteration =
      micro_batches * (forward_only
                           ? least_forward_flops(work.graph, e.precision, on_matrix_units)
                           : least_training_flops(work.graph, e.precision, on_matrix_units));
  r.model_flops_utilization =
      r.flops_per_iteration / Seconds(time) / work.device.peak(e.precision, std::max(1, e.threads));
  r.peak_is_measured = work.device.kind() == DeviceKind::kCpu && !work.device.unmeasured();
  r.origins = collect_origins(plan);
  // A job is another time to wait beside, and adds it itself.
  if (work.input && !JobPredictor::concerns(e)) add_input_wait(*work.input, Seconds(training), r);
  r.inputs = work.device.inputs();
  if (!work.model.file.empty()) r.inputs.push_back({work.model.file, work.model.sha256});
  // First: they decide what was predicted, and a screen shows only so many.
  if (work.device.unmeasured()) {
    r.warnings.emplace_back(
        "nobody has measured this CPU: its times are expected of another CPU and both data sheets, "
        "its peak is the data sheet's, its memory the most that it can have");
  }
  if (const auto remark = fp8_remark(e, plan)) r.warnings.push_back(*remark);
  if (const auto remark = attention_remark(work.setup, plan)) r.warnings.push_back(*remark);
  for (std::string& assumption : assumptions(work.model)) {
    r.warnings.push_back(std::move(assumption));
  }
  for (std::string& warning : collect_warnings(plan, computing_of(e))) {
    r.warnings.push_back(std::move(warning));
  }
  if (const auto padded = padding(work.model, e.seq)) r.warnings.push_back(*padded);
  return r;
}

}  // namespace

DeviceWork::DeviceWork(const Experiment& resolved, const TrainingDevice& on, ImportedModel loaded,
                       const FrameworkRegistry& frameworks, const JobPredictor& jobs,
                       const MemoryModel& memory_model, std::string which)
    : device(on),
      experiment(resolved),
      computing(std::move(which)),
      model(std::move(loaded)),
      setup(experiment, device, frameworks, jobs),
      graph(setup.build(model, experiment.batch)),
      memory(memory_model, setup, model, graph),
      plan(setup.plan(graph, device.costs(), setup.host())),
      input(read_input_pipeline(experiment.options)) {}

const Report& DeviceWork::report() const {
  std::call_once(drawn_, [&] { report_ = report_of(*this); });
  return report_;
}

}  // namespace paceline
