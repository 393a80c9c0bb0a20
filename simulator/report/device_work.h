// What one device of a job does by itself, priced and drawn: the part of a prediction that points
// of a sweep share if they differ in cluster and strategy alone.
#pragma once

#include <mutex>
#include <string>

#include "simulator/report/held_memory.h"
#include "simulator/report/input_pipeline.h"
#include "simulator/report/prediction_setup.h"

namespace paceline {

struct DeviceWork {
  // All must outlive this. `computing` says which iteration of one device it is: works of equal
  // texts compute the same. Throws what PredictionSetup and the cost models throw.
  DeviceWork(const Experiment& resolved, const TrainingDevice& device, ImportedModel model,
             const FrameworkRegistry& frameworks, const JobPredictor& jobs,
             const MemoryModel& memory_model, std::string computing);

  // Of one device, but for its memory; drawn when it is first asked for, from any thread.
  const Report& report() const;

  const TrainingDevice& device;
  const Experiment experiment;  // of the point that it was made for
  const std::string computing;
  ImportedModel model;
  PredictionSetup setup;
  WorkloadGraph graph;
  HeldMemory memory;
  IterationPlan plan;
  std::optional<InputPipeline> input;

 private:
  mutable std::once_flag drawn_;
  mutable Report report_;
};

}  // namespace paceline
