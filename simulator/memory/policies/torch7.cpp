// Torch7: every module keeps its output and the gradient of its input from the first iteration on;
// modules in place share them with their neighbour; cuDNN's workspace is one per device.
#include "simulator/memory/layer_keeps.h"
#include "simulator/memory/memory_policy.h"
#include "simulator/memory/persistent_buffers.h"

namespace paceline {
namespace {

class Rules : public MemoryRules {
 public:
  using MemoryRules::MemoryRules;

  std::vector<SavedBuffer> kept(const Op& op) const override {
    return layer_keeps(*this, op,
                       {.pool_tensors = setting().device == DeviceKind::kGpu, .pool_index = 4});
  }
  Place output(const Op& op) const override {
    return graph().tensor(op.output).alias_of ? Place::kSame : Place::kNew;
  }
  // Views and modules in place hand the gradient on; nn.CAddTable copies it for each operand.
  Place input_gradient(const Op& op, std::size_t input) const override {
    if (std::holds_alternative<Add>(op.attributes)) {
      return input == 0 && output(op) == Place::kSame ? Place::kSame : Place::kNew;
    }
    return output(op);
  }
};

class TorchMemory : public MemoryPolicy {
 public:
  MemoryTape trace(const WorkloadGraph& graph, const MemorySetting& setting) const override {
    return trace_persistent(Rules(graph, setting), {});
  }
  MemoryUse use(const MemoryTape& tape, const MemorySetting& setting) const override {
    const bool gpu = setting.device == DeviceKind::kGpu;
    return use_at_peak(tape, gpu ? *make_driver_allocator(setting.driver)
                                 : *make_rounding_allocator(64, 0, false));
  }
  std::string family() const override { return "torch7"; }
  std::vector<std::string> sources() const override {
    return {
        "torch/nn source: Module.lua (output, gradInput), CAddTable.lua; torch/cudnn "
        "init.lua (getSharedWorkspace)"};
  }
};

}  // namespace

void register_torch7(MemoryPolicyRegistry& registry) {
  registry.add("torch7", "output and gradient of every module",
               [] { return std::make_unique<const TorchMemory>(); });
}

}  // namespace paceline
