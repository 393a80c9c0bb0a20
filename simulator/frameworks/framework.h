// How a training program issues work: which kernels each layer becomes, in which order, and what
// the issuing thread does besides. One file in this folder per framework; its numbers (thresholds,
// calls per layer) are data with sources in model/catalog/frameworks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/registry.h"
#include "model/cost/cost_model.h"
#include "model/graph/workload_graph.h"
#include "model/hardware/device_spec.h"
#include "model/plan/iteration_plan.h"
#include "simulator/frameworks/record/gpu_record.h"

namespace paceline {

// What a user may choose about how a framework runs, by `--set KEY=VALUE`.
struct FrameworkOption {
  std::string name;
  std::vector<std::string> allowed;  // empty: a free text that the framework reads
  std::string value;                 // the default
  std::string summary;
  bool of_layers = false;  // decides how long layers take, and nothing else
  bool of_narrow = false;  // decides nothing at a precision of 32 bits
  bool of_update = false;  // decides nothing where no weight is updated
  std::string example{};   // of a free text: a value other than the default
};
// Chosen values by name, every default filled in.
using FrameworkSettings = std::map<std::string, std::string>;

struct FrameworkInfo {
  std::string version;
  std::vector<std::string> devices;  // kinds: "cpu"
  std::string default_strategy;
  std::string host_fit;  // the fit that prices its host calls, "pytorch.host"
  std::vector<std::string> sources;
  // Kernels timed alone add up to an iteration with this standard deviation of ln(time).
  double composition_sd = 0;
  // What it costs to drive a GPU, and how well kernels add up there; nothing if it drives none.
  std::optional<GpuHostCosts> gpu_host;
  double gpu_composition_sd = 0;
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
  Seconds host_time{};        // of the issuing thread beside its calls: copies, waiting for data
  bool synchronizes = false;  // as PlannedCall
  int threads = 0;            // of a CPU that the kernel may use; 0: all that the job has
  // A round of as many such kernels as the job has threads, each on a thread of its own.
  bool side_by_side = false;
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
  // What can be set on a device of this kind.
  virtual std::vector<FrameworkOption> options(DeviceKind) const { return {}; }
  // The network as the framework runs it at this precision: casts, fused operations, layout.
  // Throws UsageError if it cannot.
  virtual WorkloadGraph prepare(WorkloadGraph graph, Precision precision, const DeviceSpec* device,
                                const FrameworkSettings& settings) const = 0;
  // A device in `context` is a GPU; without one it is a CPU. Throws UsageError naming the layer if
  // the framework model has no implementation for it.
  virtual IssuedIteration issue(const WorkloadGraph& graph, const ExecutionContext& context,
                                const FrameworkSettings& settings) const = 0;
};

// The trainable tensors of the graph in the order of registration, `element` bytes each element of
// the gradient.
std::vector<GradientTensor> gradient_tensors(const WorkloadGraph& graph, Bytes element = Bytes(4));
// By layer, the first of its tensors in that list; PlannedCall::kNoGradient where it has none.
std::vector<std::uint32_t> first_gradients(const WorkloadGraph& graph);
// "recompute": what forward drops and backward makes again, on every device.
FrameworkOption recomputation_option();
// "phases": the whole iteration, forward and backward, or forward alone, on every device.
FrameworkOption phases_option();

// The values of `options`: those in `chosen`, which may hold other keys, else the defaults. Throws
// UsageError naming the option and what is allowed.
FrameworkSettings resolve_settings(const std::vector<FrameworkOption>& options,
                                   const FrameworkSettings& chosen);

using FrameworkRegistry = Registry<Framework>;

// Adds every framework of this folder (generated).
void register_all(FrameworkRegistry& registry);
FrameworkRegistry framework_registry();

}  // namespace paceline
