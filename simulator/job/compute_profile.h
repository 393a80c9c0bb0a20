// What one rank computes in an iteration, cut where aggregation can meet it: before each layer that
// needs weights, after each gradient that is final. Made from a priced plan, or read from a file of
// measured layer times (profile_file.h). docs/models/strategies.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/plan/iteration_plan.h"

namespace paceline {

// Consecutive calls that run without anything to wait for or to send in between.
struct ComputeSegment {
  std::uint32_t layer = 0;
  Seconds time{};  // alone on the device, gaps for its host included
  Seconds host{};  // of it, what the issuing thread spends
  // Of it, kernels that arithmetic or memory bounds, less what waiting for the host would hide if
  // they took longer.
  Seconds compute_bound{};
  Seconds memory_bound{};
  std::vector<std::uint32_t> gradients{};  // final after it, in the order of their calls

  // The times of both; the gradients stay.
  ComputeSegment& operator+=(const ComputeSegment& next);
};

struct ComputeProfile {
  std::vector<std::string> layers;
  std::vector<GradientTensor> gradients;  // in the order of registration
  Seconds begin;                          // once, before the first micro-batch
  Seconds feed{};                         // of it, what the issuing thread does without a kernel:
                                          // the batch on its way to the device
  std::vector<ComputeSegment> forward;    // of one micro-batch; one per layer with weights
  std::vector<ComputeSegment> backward;   // one per call after which a gradient is final
  Seconds update;                         // of all tensors, once
  std::int64_t micro_batches = 1;

  Seconds forward_time() const;
  Seconds backward_time() const;
  // Of one device by itself.
  Seconds iteration_time() const;
  Bytes gradient_bytes() const;
  // When each gradient is final, counted from the start of its backward pass.
  std::vector<Seconds> ready_times() const;
  // Every time multiplied by `factor`, which must be positive.
  ComputeProfile scaled(double factor) const;
  // Time and update in one: nothing separates them in a measured micro-batch.
  void fold_update();
};

// The calls of the plan one after another: the issuing thread and the device are the same thread of
// control, or a queue between them, as the plan says. Throws Error (internal) if a gradient is
// never final, UsageError for a plan without a backward pass.
ComputeProfile compute_profile(const IterationPlan& plan);

}  // namespace paceline
