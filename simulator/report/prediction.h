// From an experiment to its answer.
#pragma once

#include "model/graph/workload.h"
#include "model/import/imported_model.h"
#include "model/plan/iteration_plan.h"
#include "model/plan/report.h"
#include "simulator/device/training_device.h"
#include "simulator/frameworks/framework.h"
#include "simulator/lower/host_costs.h"
#include "simulator/memory/memory_model.h"
#include "simulator/report/device_work.h"
#include "simulator/report/job_predictor.h"
#include "simulator/report/setting.h"
#include "traces/timeline/timeline.h"

namespace paceline {

// The answer with everything it was made from, for views that explain it.
struct Prediction {
  WorkloadGraph graph;
  IterationPlan plan;
  Report report;
  MemoryTape memory;  // what is alive when, on one device
};

// What predictions choose from; made once, then only read.
class Predictor {
 public:
  explicit Predictor(const JobResiduals& residuals = JobResiduals::shipped());

  // Reads what clusters are made of, which otherwise the first job does: beside other work.
  void read_clusters() const { jobs_.read_clusters(); }
  // What is not known about jobs of this many devices beside what one of them computes.
  JobKnowledge job_knowledge(std::int64_t devices) const { return jobs_.knowledge(devices); }
  // What collectives of the resolved experiment take from kernels beside them, if anything.
  std::optional<Contention> contention(const Experiment& resolved,
                                       const TrainingDevice& device) const;

  // Fills in what the experiment leaves to the device and the workload (threads, seq) and checks
  // every name. Throws UsageError for what cannot be run, MissingParameter for what was not
  // measured. With `largest_batch` also that, searched on another thread meanwhile.
  Prediction predict(const Experiment& experiment, const TrainingDevice& device,
                     bool largest_batch = false) const;

  // The same in parts, for many experiments: points with equal keys share the work of one device.
  // Experiments are resolved.
  std::string work_key(const Experiment& resolved, const TrainingDevice& device) const;
  // What one device computes, whether it is one of several or not.
  std::string computing_key(const Experiment& resolved, const TrainingDevice& device) const;
  std::unique_ptr<const DeviceWork> work(const Experiment& resolved,
                                         const TrainingDevice& device) const;
  // What the job's strategy keeps on its fullest device; nothing of one device by itself.
  StrategyMemory strategy_memory(const Experiment& resolved, const DeviceWork& work) const;
  // One device of the job by itself, with what the job's strategy keeps there.
  Report alone(const Experiment& resolved, const DeviceWork& work, const StrategyMemory& kept,
               MemoryTape* tape = nullptr) const;
  // What `predict` reports but for the largest batch; `tape`, if given, is what is alive when.
  Report report(const Experiment& resolved, const DeviceWork& work, const StrategyMemory& kept,
                MemoryTape* tape = nullptr) const;
  // The job if its messages took no time: when each of them is ready.
  JobResult without_messages(const Experiment& resolved, const DeviceWork& work) const;

  // What can be set of the framework, the strategy and the network of a resolved experiment.
  std::vector<Setting> settings(const Experiment& resolved, const TrainingDevice& device) const;

  // The first iterations of what was predicted: of a job by its simulation, of one device by its
  // plan. The device is the one it was predicted for.
  Timeline timeline(const Prediction& prediction, const TrainingDevice& device,
                    int iterations) const;

  // The parts of it: the resolved experiment and its graph, and a plan at the prices of any cost
  // model (null models have no host cost).
  Experiment resolve(const Experiment& experiment, const TrainingDevice& device) const;
  // The graph as the framework runs it on the device.
  WorkloadGraph build(const Experiment& resolved, const TrainingDevice& device) const;
  IterationPlan plan(const Experiment& resolved, const TrainingDevice& device,
                     const WorkloadGraph& graph, const CostModel& costs,
                     const HostCosts& host) const;

  // Memory alone, of a resolved experiment, and the largest batches that fit, if they are asked
  // for; none if not even one sample does. Costs some seven graphs.
  struct MemoryAnswer {
    MemoryResult memory;
    std::optional<std::int64_t> largest_batch;
    BatchAbove largest_certain_batch;  // by the 95 % quantile of the peak, up to the one above
  };
  MemoryAnswer memory(const Experiment& resolved, const TrainingDevice& device,
                      bool largest_batch = true) const;
  // The largest batch alone; 0 if not even one sample fits.
  std::int64_t largest_batch(const Experiment& resolved, const TrainingDevice& device) const;

 private:
  Experiment resolve(const Experiment& experiment, const TrainingDevice& device,
                     std::optional<ImportedModel>& model) const;
  ImportedModel load(const Experiment& experiment) const;

  WorkloadRegistry workloads_;
  FrameworkRegistry frameworks_;
  JobPredictor jobs_;
  MemoryModel memory_;
};

}  // namespace paceline
