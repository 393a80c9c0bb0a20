// From an experiment to its answer.
#pragma once

#include "model/graph/workload.h"
#include "model/plan/iteration_plan.h"
#include "model/plan/report.h"
#include "simulator/device/training_device.h"
#include "simulator/frameworks/framework.h"
#include "simulator/lower/host_costs.h"
#include "simulator/memory/memory_model.h"
#include "simulator/report/job_predictor.h"
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
  Predictor();

  // Fills in what the experiment leaves to the device and the workload (threads, seq) and checks
  // every name. Throws UsageError for what cannot be run, MissingParameter for what was not
  // measured.
  Prediction predict(const Experiment& experiment, const TrainingDevice& device) const;

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

  // Memory alone, of a resolved experiment, and the largest batch that fits; none if not even one
  // sample does. Costs some twenty graphs.
  struct MemoryAnswer {
    MemoryResult memory;
    std::optional<std::int64_t> largest_batch;
  };
  MemoryAnswer memory(const Experiment& resolved, const TrainingDevice& device) const;

 private:
  StrategyMemory strategy_memory(const Experiment& resolved, const TrainingDevice& device,
                                 const WorkloadGraph& graph, const IterationPlan& iteration) const;
  MemoryResult memory_of(const WorkloadGraph& graph, const Experiment& resolved,
                         const TrainingDevice& device, const StrategyMemory& strategy) const;
  // The plan of one device at the batch of the whole job, where a calibration refers to it.
  std::optional<IterationPlan> whole_batch(const Experiment& experiment,
                                           const TrainingDevice& device) const;

  WorkloadRegistry workloads_;
  FrameworkRegistry frameworks_;
  JobPredictor jobs_;
  MemoryModel memory_;
};

}  // namespace paceline
