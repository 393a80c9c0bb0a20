// TensorFlow 1.x: every tensor is counted by references while the executor runs; elementwise
// operations take over a buffer that nobody else reads; the gradients of one tensor are added by
// one AddN; gradients of weights live until their update has run, which is soon. All of it comes
// from one arena (allocators/best_fit_coalescing.cpp). By default the arena takes the whole device
// at start; what is reported is what the program needs.
#include "simulator/memory/graph_places.h"
#include "simulator/memory/layer_keeps.h"
#include "simulator/memory/liveness.h"
#include "simulator/memory/memory_policy.h"

namespace paceline {
namespace {

struct OutputOf : GraphOutputs {
  using GraphOutputs::operator();
  Place operator()(const CausalMask&) const { return Place::kOverwrite; }
};

class Rules : public MemoryRules {
 public:
  using MemoryRules::MemoryRules;

  std::vector<SavedBuffer> kept(const Op& op) const override {
    // _AvgPoolGrad takes the shape of the input, MaxPoolGrad input and output.
    return layer_keeps(*this, op, {.mean_pool_tensors = false});
  }
  Place output(const Op& op) const override { return std::visit(OutputOf{}, op.attributes); }
  Place input_gradient(const Op& op, std::size_t input) const override {
    return std::visit(GraphGradients{elements(op.inputs[input]) == elements(op.output)},
                      op.attributes);
  }
  Scratch forward_scratch(const Op& op) const override {
    return {.before = 0, .beside = library_workspace(op, Pass::kForward)};
  }
  Scratch backward_scratch(const Op& op, Pass pass) const override {
    return {.before = 0, .beside = library_workspace(op, pass)};
  }
  bool sums_at_once(std::int64_t) const override { return true; }
  bool separate_weight_gradients() const override { return true; }
  bool stores_weight_gradients() const override { return false; }
};

class TensorFlowMemory : public MemoryPolicy {
 public:
  MemoryTape trace(const WorkloadGraph& graph, const MemorySetting& setting) const override {
    return trace_liveness(Rules(graph, setting));
  }
  MemoryUse use(const MemoryTape& tape, const MemorySetting&) const override {
    return use_at_peak(tape, *make_best_fit_allocator());
  }
  std::string family() const override { return "tensorflow"; }
  std::vector<std::string> sources() const override {
    return {
        "TensorFlow 1.x source: core/common_runtime/bfc_allocator.cc and executor.cc, "
        "core/framework/op_kernel.h (forward_input), python/ops/*_grad.py (what is read)"};
  }
};

}  // namespace

void register_tensorflow(MemoryPolicyRegistry& registry) {
  for (const std::string name : {"tensorflow", "tensorflow2"}) {
    registry.add(name, "reference counting, one arena",
                 [] { return std::make_unique<const TensorFlowMemory>(); });
  }
}

}  // namespace paceline
