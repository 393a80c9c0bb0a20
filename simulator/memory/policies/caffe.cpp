// Caffe: every blob has data and diff for the whole run, nothing is shared but what layers do in
// place; blobs with several readers pass a split layer with a diff per reader; cuDNN convolutions
// each own a workspace per group and stream.
#include "simulator/memory/layer_keeps.h"
#include "simulator/memory/memory_policy.h"
#include "simulator/memory/persistent_buffers.h"

namespace paceline {
namespace {

constexpr std::int64_t kStreamsPerGroup = 3;  // CUDNN_STREAMS_PER_GROUP

class Rules : public MemoryRules {
 public:
  using MemoryRules::MemoryRules;

  // max_idx_ of pooling exists without cuDNN only. Batch normalisation holds two tensors of its
  // own (temp_, x_norm_) and the scale layer behind it a third.
  std::vector<SavedBuffer> kept(const Op& op) const override {
    std::vector<SavedBuffer> kept = layer_keeps(
        *this, op, {.pool_tensors = setting().device == DeviceKind::kGpu, .pool_index = 4});
    const auto* norm = std::get_if<Norm>(&op.attributes);
    if (norm != nullptr && norm->kind == Normalization::kBatch) {
      const double copies = norm->scale || norm->shift ? 3 : 2;
      kept.push_back({std::nullopt, copies * graph().tensor(op.inputs[0]).bytes()});
    }
    return kept;
  }
  // Batch normalisation and scale run in place, as the published definitions have them.
  Place output(const Op& op) const override {
    if (std::holds_alternative<Norm>(op.attributes)) return Place::kSame;
    const bool copies = std::holds_alternative<Slice>(op.attributes) ||
                        std::holds_alternative<Permute>(op.attributes);
    const bool dropout = std::holds_alternative<Dropout>(op.attributes);
    if (dropout) return Place::kSame;
    return graph().tensor(op.output).alias_of && !copies ? Place::kSame : Place::kNew;
  }
  Place input_gradient(const Op& op, std::size_t) const override { return output(op); }
};

class CaffeMemory : public MemoryPolicy {
 public:
  MemoryTape trace(const WorkloadGraph& graph, const MemorySetting& setting) const override {
    return trace_persistent(
        Rules(graph, setting),
        {.gradient_per_reader = true, .workspace_per_layer = true, .workspaces = kStreamsPerGroup});
  }
  // Every blob is a call of cudaMalloc.
  MemoryUse use(const MemoryTape& tape, const MemorySetting& setting) const override {
    const bool gpu = setting.device == DeviceKind::kGpu;
    return use_at_peak(tape, gpu ? *make_driver_allocator(setting.driver)
                                 : *make_rounding_allocator(64, 0, false));
  }
  std::string family() const override { return "caffe"; }
  std::vector<std::string> sources() const override {
    return {
        "BVLC Caffe 1.0 source: src/caffe/blob.cpp, util/insert_splits.cpp, "
        "layers/batch_norm_layer.cpp, layers/scale_layer.cpp, layers/cudnn_conv_layer.cpp"};
  }
};

}  // namespace

void register_caffe(MemoryPolicyRegistry& registry) {
  for (const std::string name : {"caffe", "caffe-nccl", "caffe-mpi"}) {
    registry.add(name, "data and gradient of every blob",
                 [] { return std::make_unique<const CaffeMemory>(); });
  }
}

}  // namespace paceline
