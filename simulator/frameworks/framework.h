// How a training program issues work: which kernels each layer becomes, in which order, and what
// the issuing thread does besides. One file in this folder per framework; its numbers (thresholds,
// calls per layer) are data with sources in model/catalog/frameworks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/registry.h"
#include "model/cost/cost_model.h"
#include "model/graph/workload_graph.h"
#include "model/plan/iteration_plan.h"
#include "model/plan/report.h"

namespace paceline {

struct FrameworkInfo {
  std::string version;
  std::vector<std::string> devices;  // kinds: "cpu"
  std::string default_strategy;
  std::string host_fit;  // the fit that prices its host calls, "pytorch.host"
  std::vector<std::string> sources;
  // Kernels timed alone add up to an iteration with this standard deviation of ln(time).
  double composition_sd = 0;
};

// A call before it is costed. `host_calls` is in units of one simple dispatch. `far_share` of the
// kernel's traffic was last touched `reuse_distance` bytes ago, the rest just before.
struct IssuedCall {
  Phase phase = Phase::kForward;
  std::uint32_t layer = 0;
  std::optional<Kernel> kernel;
  double host_calls = 0;
  std::int64_t repeat = 1;
  double far_share = 0;
  Bytes reuse_distance{};
  // Index into IssuedIteration::gradients of the gradient that is final after this call.
  std::uint32_t gradient = PlannedCall::kNoGradient;
};

// The iteration of one device, as IterationPlan.
struct IssuedIteration {
  std::vector<std::string> layers;
  std::vector<GradientTensor> gradients;
  std::vector<IssuedCall> begin;
  std::vector<IssuedCall> micro_batch;
  std::vector<IssuedCall> update;
};

class Framework {
 public:
  virtual ~Framework() = default;
  virtual FrameworkInfo info() const = 0;
  // Throws UsageError naming the layer if the framework model has no implementation for it.
  virtual IssuedIteration issue(const WorkloadGraph& graph,
                                const ExecutionContext& context) const = 0;
  // What the iteration needs at its peak; `capacity` is left at zero.
  virtual MemoryUse memory(const WorkloadGraph& graph, const ExecutionContext& context) const = 0;
};

// The trainable tensors of the graph in the order of registration, 4 bytes an element.
std::vector<GradientTensor> gradient_tensors(const WorkloadGraph& graph);

using FrameworkRegistry = Registry<Framework>;

// Adds every framework of this folder (generated).
void register_all(FrameworkRegistry& registry);
FrameworkRegistry framework_registry();

}  // namespace paceline
