// One training iteration of one device as its framework issues it: which kernels run, in which
// order, and what the issuing thread does in between. The closed form (model/analytic) and the
// simulation (simulator/lower) both start from this, so they can be compared to the picosecond.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units.h"
#include "model/cost/cost_model.h"

namespace paceline {

enum class Phase { kForward, kBackward, kOptimizer };
std::string_view to_string(Phase phase);

// A kernel of the iteration, costed once however often it runs.
struct PlannedKernel {
  Kernel kernel;
  KernelCost cost;
};

// How kernels reach the device.
enum class Dispatch {
  kSerial,       // the issuing thread computes itself (a CPU)
  kAsynchronous  // it queues kernels and goes on; they run in order of issue (a GPU's stream)
};

// One call: the issuing thread spends `host`, then the kernel runs; `repeat` times in a row.
struct PlannedCall {
  static constexpr std::uint32_t kNoKernel = 0xFFFFFFFF;
  static constexpr std::uint32_t kNoGradient = 0xFFFFFFFF;
  Phase phase = Phase::kForward;
  std::uint32_t layer = 0;           // index into IterationPlan::layers
  std::uint32_t kernel = kNoKernel;  // index into IterationPlan::kernels
  Seconds host;
  std::int64_t repeat = 1;
  // Index into IterationPlan::gradients of the gradient that is final after this call.
  std::uint32_t gradient = kNoGradient;
  // The issuing thread first waits for everything it has queued (a copy back, a check for
  // overflow).
  bool synchronizes = false;
};

// A trainable tensor whose gradient the iteration computes.
struct GradientTensor {
  std::string name;         // "layer1.0.conv2/0": layer and index among its tensors
  std::uint32_t layer = 0;  // index into IterationPlan::layers
  std::int64_t elements = 0;
  std::int64_t rows = 0;  // its first dimension as the framework stores it; 0: not known
  Bytes bytes;
};

struct IterationPlan {
  std::vector<std::string> layers;
  std::vector<PlannedKernel> kernels;
  // In the order in which the program registers its parameters, which is that of the forward pass.
  std::vector<GradientTensor> gradients;
  // In issue order. `begin` and `update` run once, `micro_batch` runs `micro_batches` times.
  std::vector<PlannedCall> begin;
  std::vector<PlannedCall> micro_batch;
  std::vector<PlannedCall> update;
  std::int64_t micro_batches = 1;
  Dispatch dispatch = Dispatch::kSerial;
  // From the end of a dispatch to the earliest start of its kernel, when the device idles.
  Seconds launch_latency;
  // Standard deviation of ln(host time), common to all calls.
  double host_sd = 0;
  // Standard deviation of ln(time) common to all kernels: that they were timed alone.
  double composition_sd = 0;
  Origin host_origin;
};

}  // namespace paceline
