// MXNet (symbolic): a static plan made before the first iteration. NNVM walks forward and backward
// once, lets operations overwrite inputs that nothing else needs, and hands freed blocks on to
// later requests of similar size; the result is one set of blocks for the whole run. Outputs of the
// network, the probabilities of its loss, stay for the user and are not overwritten by a gradient.
#include <algorithm>
#include <functional>
#include <map>

#include "simulator/memory/graph_places.h"
#include "simulator/memory/layer_keeps.h"
#include "simulator/memory/liveness.h"
#include "simulator/memory/memory_policy.h"

namespace paceline {
namespace {

// MXNET_EXEC_INPLACE_GRAD_SUM_CAP: as many gradients of one tensor, or more, are added one by one.
constexpr std::int64_t kInplaceSumCap = 8;
// NNVM_EXEC_MATCH_RANGE: a block serves requests from 1/16 to 16 times its size. By default no
// smaller range is tried (NNVM_AUTO_SEARCH_MATCH_RANGE is off).
constexpr std::int64_t kMatchRange = 16;
// The pool of versions before 1.2 asks for as much more than it is asked for (NDEV); later ones
// round to pages of 4 KiB and 2 MiB.
constexpr std::int64_t kPoolExtra = 32;

struct GradientOf : GraphGradients {
  using GraphGradients::operator();
  Place operator()(const Softmax&) const { return Place::kOverwrite; }
};

class Rules : public MemoryRules {
 public:
  using MemoryRules::MemoryRules;

  std::vector<SavedBuffer> kept(const Op& op) const override {
    // FGradient of Activation (src/operator/nn/activation.cc): the input as well, but not for ReLU.
    return layer_keeps(
        *this, op,
        {.activation_input = setting().device == DeviceKind::kGpu, .loss_beside_logits = false});
  }
  Place output(const Op& op) const override { return std::visit(GraphOutputs{}, op.attributes); }
  Place input_gradient(const Op& op, std::size_t input) const override {
    return std::visit(GradientOf{elements(op.inputs[input]) == elements(op.output)}, op.attributes);
  }
  bool sums_at_once(std::int64_t contributions) const override {
    return contributions < kInplaceSumCap;
  }
};

// nnvm/src/pass/plan_memory.cc, GraphAllocator.
class Plan {
 public:
  void request(MemoryTape::BufferId buffer, std::int64_t bytes) {
    const auto begin = free_.lower_bound(bytes / kMatchRange);
    const auto middle = free_.lower_bound(bytes);
    const auto end = free_.upper_bound(bytes * kMatchRange);
    if (middle != end) return take(middle, buffer, bytes);
    if (middle != begin) return take(std::prev(middle), buffer, bytes);
    block_of_[buffer] = sizes_.size();
    sizes_.push_back(bytes);
  }
  void release(MemoryTape::BufferId buffer) {
    const std::size_t block = block_of_.at(buffer);
    free_.emplace(sizes_[block], block);
  }
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const std::int64_t size : sizes_) sum += size;
    return sum;
  }

 private:
  using Free = std::multimap<std::int64_t, std::size_t>;
  void take(Free::iterator found, MemoryTape::BufferId buffer, std::int64_t bytes) {
    const std::size_t block = found->second;
    sizes_[block] = std::max(sizes_[block], bytes);
    block_of_[buffer] = block;
    free_.erase(found);
  }

  std::vector<std::int64_t> sizes_;
  Free free_;
  std::map<MemoryTape::BufferId, std::size_t> block_of_;
};

Plan plan_of(const MemoryTape& tape) {
  Plan plan;
  for (const MemoryTape::Event& event : tape.events()) {
    const MemoryTape::Buffer& buffer = tape.buffers()[event.buffer];
    if (buffer.kind != MemoryKind::kFeatureMaps) continue;
    event.allocates ? plan.request(event.buffer, buffer.bytes) : plan.release(event.buffer);
  }
  return plan;
}

// What the driver gives for blocks that stay: the largest first, as the executor asks.
std::int64_t held(std::vector<std::int64_t> blocks, const DriverUnits& units) {
  std::ranges::sort(blocks, std::greater());
  MemoryTape tape;
  for (const std::int64_t bytes : blocks) {
    tape.allocate(bytes + kPoolExtra, MemoryKind::kFeatureMaps);
  }
  return replay(tape, *make_driver_allocator(units));
}

class MxnetMemory : public MemoryPolicy {
 public:
  MemoryTape trace(const WorkloadGraph& graph, const MemorySetting& setting) const override {
    // One temporary space per device (MXNET_EXEC_NUM_TEMP).
    return trace_with_workspace(Rules(graph, setting));
  }

  MemoryUse use(const MemoryTape& tape, const MemorySetting& setting) const override {
    const Plan plan = plan_of(tape);
    MemoryUse use;
    set_categories(use, tape.peak().usage);
    use.feature_maps = plan.bytes();
    if (setting.device != DeviceKind::kGpu) return use;
    std::vector<std::int64_t> blocks = plan.sizes();
    for (const MemoryTape::Buffer& buffer : tape.buffers()) {
      if (buffer.kind != MemoryKind::kFeatureMaps && buffer.bytes > 0) {
        blocks.push_back(buffer.bytes);
      }
    }
    std::int64_t asked = 0;
    for (const std::int64_t bytes : blocks) asked += bytes;
    use.slack = held(std::move(blocks), setting.driver) - asked;
    return use;
  }

  std::string family() const override { return "mxnet"; }
  std::vector<std::string> sources() const override {
    return {
        "MXNet 1.x source: src/executor/graph_executor.cc (AggregateGradient), "
        "nnvm src/pass/plan_memory.cc; 0.12 src/storage/pooled_storage_manager.h; "
        "docs/faq/env_var.md"};
  }
};

}  // namespace

void register_mxnet(MemoryPolicyRegistry& registry) {
  registry.add("mxnet", "static plan with sharing",
               [] { return std::make_unique<const MxnetMemory>(); });
}

}  // namespace paceline
