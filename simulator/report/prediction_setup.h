// What the names of a resolved experiment stand for: framework, settings, context; made once an
// answer, because a framework's record is a file.
#pragma once

#include <memory>
#include <optional>

#include "model/graph/workload_graph.h"
#include "model/import/imported_model.h"
#include "model/plan/experiment.h"
#include "model/plan/iteration_plan.h"
#include "simulator/device/training_device.h"
#include "simulator/frameworks/framework.h"
#include "simulator/lower/host_costs.h"
#include "simulator/report/job_predictor.h"

namespace paceline {

// --set, split: what belongs to the device is used already, what belongs to the framework becomes
// its settings, the rest is the workload's.
struct SplitSettings {
  FrameworkSettings framework;
  std::map<std::string, std::string> workload;
  std::vector<std::string> job;  // keys that belong to the job alone
};
// Throws UsageError for a value that the framework's option does not have.
SplitSettings split_settings(const Framework& framework, DeviceKind kind, const Experiment& e,
                             const JobPredictor& jobs);

class PredictionSetup {
 public:
  // `resolved` and `device` must outlive this. Throws UsageError for names that do not exist.
  PredictionSetup(const Experiment& resolved, const TrainingDevice& device,
                  const FrameworkRegistry& frameworks, const JobPredictor& jobs);

  const Experiment& experiment() const { return experiment_; }
  const TrainingDevice& device() const { return device_; }
  const FrameworkSettings& settings() const { return settings_.framework; }
  bool is_set(const std::string& option, std::string_view value) const;
  const ExecutionContext& context() const { return context_; }
  HostCosts host() const { return device_.host_costs(framework_->info()); }

  // The graph as the framework runs it on the device.
  WorkloadGraph build(const ImportedModel& model, std::int64_t batch) const;
  IterationPlan plan(const WorkloadGraph& graph, const CostModel& costs,
                     const HostCosts& host) const;
  // The plan of one device at the batch of the whole `job`, where its calibration refers to it.
  std::optional<IterationPlan> whole_batch(const ImportedModel& model, const Experiment& job) const;
  // `whole` must outlive the result.
  JobDevice job_device(const std::optional<IterationPlan>& whole) const;

 private:
  const Experiment& experiment_;
  const TrainingDevice& device_;
  std::unique_ptr<const Framework> framework_;
  SplitSettings settings_;
  ExecutionContext context_;
};

}  // namespace paceline
