// What one device of a job holds at its own batch, and the largest batch that fits. What no
// strategy changes (the graph of a batch, the workspace of its kernels) is made once for all that
// ask.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include "simulator/memory/memory_model.h"
#include "simulator/report/prediction_setup.h"

namespace paceline {

class HeldMemory {
 public:
  // All must outlive this; `graph` is that of the experiment's batch.
  HeldMemory(const MemoryModel& model, const PredictionSetup& setup, const ImportedModel& workload,
             const WorkloadGraph& graph);
  ~HeldMemory();
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  // With what a strategy keeps; asked for again it costs nothing. From any thread, as the next.
  const MemoryResult& with(const StrategyMemory& kept) const;
  // The largest batch that fits beside it (largest_that_fits); none if not even one sample does.
  std::optional<std::int64_t> largest_batch(const StrategyMemory& kept) const;
  // The largest up to that one whose peak fits at its 95 % quantile (largest_above); 0 if a single
  // sample does not.
  BatchAbove largest_certain_batch(const StrategyMemory& kept) const;

 private:
  struct Batch;   // the graph of one batch and what it asks of the memory model
  struct Answer;  // for one StrategyMemory
  // Everything of a StrategyMemory.
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, double, double,
                         double, bool>;

  Answer& answer(const StrategyMemory& kept) const;
  Batch& batch(std::int64_t samples) const;
  MemoryResult predict(Batch& batch, const StrategyMemory& kept) const;

  const MemoryModel& model_;
  const PredictionSetup& setup_;
  const ImportedModel& workload_;
  const WorkloadGraph& graph_;
  mutable std::mutex mutex_;
  mutable std::map<Key, std::unique_ptr<Answer>> answers_;
  mutable std::map<std::int64_t, std::unique_ptr<Batch>> batches_;
};

}  // namespace paceline
