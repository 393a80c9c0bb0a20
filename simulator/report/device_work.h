// What one device of a job does by itself, priced and drawn: the part of a prediction that points
// of a sweep share if they differ in cluster and strategy alone.
#pragma once

#include <map>
#include <mutex>
#include <tuple>

#include "simulator/memory/memory_model.h"
#include "simulator/report/input_pipeline.h"
#include "simulator/report/prediction_setup.h"

namespace paceline {

struct DeviceWork {
  // All must outlive this. Throws what PredictionSetup and the cost models throw.
  DeviceWork(const Experiment& resolved, const TrainingDevice& device, ImportedModel model,
             const FrameworkRegistry& frameworks, const JobPredictor& jobs);

  // Memory with what a strategy keeps; asked for again it costs nothing. From any thread.
  const MemoryResult& memory(const MemoryModel& model, const StrategyMemory& strategy) const;

  const TrainingDevice& device;
  const Experiment experiment;  // of the point that it was made for
  ImportedModel model;
  PredictionSetup setup;
  WorkloadGraph graph;
  IterationPlan plan;
  std::optional<InputPipeline> input;
  Report report;  // of one device, but for its memory

 private:
  // Everything of a StrategyMemory.
  using MemoryKey = std::tuple<std::int64_t, std::int64_t, double, double, double, bool>;
  mutable std::mutex mutex_;
  mutable std::map<MemoryKey, MemoryResult> memories_;
};

// Memory of a graph with what a strategy keeps.
MemoryResult memory_of(const MemoryModel& model, const PredictionSetup& setup,
                       const WorkloadGraph& graph, const StrategyMemory& strategy);

}  // namespace paceline
