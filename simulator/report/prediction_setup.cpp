#include "simulator/report/prediction_setup.h"

#include <algorithm>

#include "simulator/frameworks/gpu/gpu_settings.h"
#include "simulator/lower/lower.h"
#include "simulator/lower/plan.h"
#include "simulator/report/input_pipeline.h"

namespace paceline {
namespace {

ExecutionContext context_of(const Experiment& e, const TrainingDevice& device,
                            const FrameworkSettings& settings) {
  ExecutionContext context;
  context.threads = std::max(1, e.threads);
  context.device = device.kind() == DeviceKind::kGpu ? device.spec() : nullptr;
  if (context.device != nullptr) context.workspace_limit = gpu::workspace_limit(settings);
  return context;
}

}  // namespace

SplitSettings split_settings(const Framework& framework, DeviceKind kind, const Experiment& e,
                             const JobPredictor& jobs) {
  const std::vector<std::string> of_job = jobs.option_names(e);
  const std::vector<FrameworkOption> options = framework.options(kind);
  SplitSettings out{resolve_settings(options, e.options), {}, {}};
  for (const auto& [key, value] : e.options) {
    if (is_device_option(key) || is_input_option(key) || out.framework.contains(key)) continue;
    if (std::ranges::find(of_job, key) != of_job.end()) {
      out.job.push_back(key);
    } else {
      out.workload[key] = value;
    }
  }
  return out;
}

PredictionSetup::PredictionSetup(const Experiment& resolved, const TrainingDevice& device,
                                 const FrameworkRegistry& frameworks, const JobPredictor& jobs)
    : experiment_(resolved),
      device_(device),
      framework_(frameworks.make(resolved.framework)),
      settings_(split_settings(*framework_, device.kind(), resolved, jobs)),
      context_(context_of(resolved, device, settings_.framework)) {}

bool PredictionSetup::is_set(const std::string& option, std::string_view value) const {
  const auto found = settings_.framework.find(option);
  return found != settings_.framework.end() && found->second == value;
}

WorkloadGraph PredictionSetup::build(const ImportedModel& model, std::int64_t batch) const {
  WorkloadGraph graph =
      build_workload(model.name, model.workload,
                     {.batch = batch, .seq = experiment_.seq, .choose = settings_.workload});
  const DeviceSpec* gpu = device_.kind() == DeviceKind::kGpu ? device_.spec() : nullptr;
  return framework_->prepare(std::move(graph), experiment_.precision, gpu, settings_.framework);
}

IterationPlan PredictionSetup::plan(const WorkloadGraph& graph, const CostModel& costs,
                                    const HostCosts& host) const {
  IterationPlan plan = plan_iteration(framework_->issue(graph, context_, settings_.framework),
                                      costs, host, context_, experiment_.grad_accumulation);
  plan.dispatch = device_.dispatch();
  const FrameworkInfo info = framework_->info();
  plan.composition_sd =
      device_.kind() == DeviceKind::kGpu ? info.gpu_composition_sd : info.composition_sd;
  if (is_set("graphs", "on")) replay_as_graph(plan, host.graph_launch);
  return plan;
}

std::optional<IterationPlan> PredictionSetup::whole_batch(const ImportedModel& model,
                                                          const Experiment& e) const {
  if (!e.calibrate || !e.global_batch || e.devices < 2) return std::nullopt;
  return plan(build(model, e.batch * e.devices), device_.costs(), host());
}

JobDevice PredictionSetup::job_device(const std::optional<IterationPlan>& whole) const {
  return {.costs = &device_.costs(),
          .context = context_,
          .spec = device_.spec(),
          .processor = device_.kind() == DeviceKind::kCpu,
          .narrowing = device_.narrowing(),
          .whole_batch = whole ? &*whole : nullptr};
}

}  // namespace paceline
