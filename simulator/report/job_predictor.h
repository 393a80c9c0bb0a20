// From the plan of one device to the report of a job of several: cluster, strategy, simulation.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "model/hardware/cluster_request.h"
#include "model/plan/report.h"
#include "simulator/job/simulate_job.h"
#include "simulator/memory/memory_setting.h"
#include "simulator/report/job_interval.h"
#include "simulator/strategies/strategy.h"

namespace paceline {

// What a job needs to know of one of its devices.
struct JobDevice {
  const CostModel* costs = nullptr;
  ExecutionContext context;
  const DeviceSpec* spec = nullptr;  // none if nobody wrote down what it is
  bool processor = false;            // a CPU
  std::string narrowing{};           // TrainingDevice::narrowing
  // The plan of one device at the batch of the whole job, for a calibration with global_batch.
  const IterationPlan* whole_batch = nullptr;
};

class JobPredictor {
 public:
  explicit JobPredictor(const JobResiduals& residuals);

  // What is not known about jobs beside what one device computes, for whoever predicts them
  // otherwise (answers/compare).
  JobKnowledge knowledge(std::int64_t ranks) const;
  // What collectives take from kernels; nothing on one device, on a processor, or if switched off.
  std::optional<Contention> contention(const Experiment& experiment, const JobDevice& device) const;

  // Reads what clusters are made of, if nobody has.
  void read_clusters() const;

  // Whether the experiment is more than one device by itself as its plan says.
  static bool concerns(const Experiment& experiment);
  // The catalog's name of the strategy; throws UsageError with the nearest names.
  std::string strategy_name(const std::string& name) const;
  // What can be set of the job rather than of workload, device or framework, and its names.
  std::vector<StrategyOption> settings(const Experiment& experiment) const;
  std::vector<std::string> option_names(const Experiment& experiment) const;
  // Options of the framework that the strategy implies at 16 bits.
  std::map<std::string, std::string> settings_at_16_bits(const Experiment& experiment) const;
  // The strategies that have an option of this name.
  std::vector<std::string> strategies_with(const std::string& option) const;
  // Every option of the strategy with its value. Throws UsageError.
  StrategyOptions options(const Experiment& experiment) const;

  // Replaces what `report` says of one device by what the job does. Throws UsageError for a job
  // that cannot be run.
  void apply(const Experiment& experiment, const IterationPlan& plan, const JobDevice& device,
             Report& report) const;
  // What the strategy keeps on the device that is fullest: its buffers, and shares of the state.
  StrategyMemory memory(const Experiment& experiment, const IterationPlan& plan,
                        const JobDevice& device) const;
  // The job if its messages took no time and nothing of the device: when each of them is ready.
  JobResult without_messages(const Experiment& experiment, const IterationPlan& plan,
                             const JobDevice& device) const;
  // The first iterations of the job.
  Timeline timeline(const Experiment& experiment, const IterationPlan& plan,
                    const JobDevice& device, int iterations) const;

 private:
  struct Cluster;
  struct Job;
  Cluster& cluster(const Experiment& experiment, const JobDevice& device) const;
  Job job(const Experiment& experiment, const IterationPlan& plan, const JobDevice& device) const;

  JobKnowledge knowledge(const Experiment& experiment, const IterationPlan& plan,
                         const JobDevice& device, const Estimate& alone,
                         const StrategyOptions& options) const;

  // Refuses --set contention if the job takes this time either way.
  void check_contention(const Experiment& experiment, const JobDevice& device, const Job& job,
                        Seconds time) const;

  StrategyRegistry strategies_;
  BytesPerSecond processor_rate_;
  JobResiduals residuals_;
  JobPriors priors_;
  OverlapCatalog overlap_;
  double contention_sd_;
  double repeat_sd_;
  double iteration_cv_;
  // Read when the first cluster is asked for.
  struct Shared {
    CommunicationModels models;
    ClusterCatalogs catalogs;
  };
  // What JobKnowledge says of them.
  double stragglers(std::int64_t ranks) const;

  mutable std::mutex mutex_;
  mutable std::unique_ptr<const Shared> shared_;
  mutable std::map<std::int64_t, double> stragglers_;  // by ranks
  // Clusters already built, by what asked for them.
  mutable std::map<std::string, std::shared_ptr<Cluster>> clusters_;
};

}  // namespace paceline
