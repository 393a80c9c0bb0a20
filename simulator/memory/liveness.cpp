#include "simulator/memory/liveness.h"

#include <algorithm>

#include "simulator/memory/layer_keeps.h"
#include "simulator/memory/liveness_walk.h"

namespace paceline {
namespace {

// Inference needs no result twice.
RecomputationSchedule nothing_again(const WorkloadGraph& graph) {
  RecomputationSchedule out;
  out.recomputed.assign(graph.ops().size(), false);
  out.before_backward.resize(graph.ops().size());
  out.reads_again.assign(graph.ops().size(), 0);
  return out;
}

}  // namespace

LivenessWalk::LivenessWalk(const MemoryRules& rules)
    : rules_(rules),
      graph_(rules.graph()),
      slots_(tape_),
      schedule_(rules.runs_backward() ? recomputation_schedule(graph_) : nothing_again(graph_)),
      tensor_slot_(graph_.tensors().size(), kNone),
      gradient_(graph_.tensors().size()),
      reads_(graph_.tensors().size(), 0),
      contributions_(graph_.tensors().size(), 0),
      dropped_(graph_.tensors().size(), false),
      reads_again_(graph_.tensors().size(), 0),
      kept_(graph_.ops().size()),
      own_(graph_.ops().size(), kNone),
      weight_copy_(graph_.ops().size(), kNone) {}

MemoryTape LivenessWalk::run() {
  count();
  setup();
  for (std::size_t i = 0; i < graph_.ops().size(); ++i) {
    if (!rules_.runs(graph_.ops()[i]) || reads_nothing_there(graph_.ops()[i])) continue;
    tape_.enter(TapePhase::kForward, i);
    forward(i, false);
  }
  if (!rules_.runs_backward()) return std::move(tape_);
  for (std::size_t i = graph_.ops().size(); i-- > 0;) {
    tape_.enter(TapePhase::kBackward, i);
    for (const std::size_t again : schedule_.before_backward[i]) forward(again, true);
    backward(i);
  }
  update();
  return std::move(tape_);
}

// Inference: what is made of a loss, such as the sum of several, does not exist either.
bool LivenessWalk::reads_nothing_there(const Op& op) const {
  return std::ranges::any_of(op.inputs,
                             [&](TensorId id) { return tensor_slot_[index(id)] == kNone; });
}

void LivenessWalk::count() {
  std::map<TensorId, std::size_t> first_slice;
  for (std::size_t i = 0; i < graph_.ops().size(); ++i) {
    const Op& op = graph_.ops()[i];
    producer_[op.output] = i;
    dropped_[index(op.output)] = schedule_.recomputed[i];
    reads_again_[index(op.output)] = schedule_.reads_again[i];
    for (const TensorId input : op.inputs) ++reads_[index(input)];
    const bool slice = std::holds_alternative<Slice>(op.attributes);
    if (slice && !first_slice.try_emplace(op.inputs[0], i).second) continue;
    if (!needs_gradient(op.output)) continue;
    for (const TensorId input : op.inputs) contributions_[index(input)] += needs_gradient(input);
  }
  first_slice_ = std::move(first_slice);
}

void LivenessWalk::setup() {
  allocate_model_state(rules_, tape_);
  for (const TensorId input : graph_.inputs()) {
    tensor_slot_[index(input)] =
        slots_.allocate(rules_.bytes(input), MemoryKind::kInput, 1 + reads_[index(input)]);
  }
}

void allocate_model_state(const MemoryRules& rules, MemoryTape& tape) {
  const StrategyMemory& strategy = rules.setting().strategy;
  const ModelStateSizes& sizes = rules.setting().state;
  const auto persistent = [&](std::int64_t bytes, MemoryKind kind) {
    if (bytes > 0) tape.allocate(bytes, kind);
  };
  const std::vector<Op>& ops = rules.graph().ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    tape.enter(TapePhase::kSetup, i);
    for (const std::int64_t size : parameter_sizes(ops[i])) {
      persistent(share_of(size, sizes.weight, strategy.weights), MemoryKind::kWeights);
      const bool trained = ops[i].trainable || ops[i].rests;
      if (!trained || !rules.runs_backward()) continue;
      if (rules.stores_weight_gradients()) {
        persistent(share_of(size, sizes.gradient, strategy.gradients),
                   MemoryKind::kWeightGradients);
      }
      if (!rules.runs_update()) continue;
      const double share = strategy.optimizer_state;
      persistent(share_of(size, sizes.master, share), MemoryKind::kOptimizerState);
      persistent(share_of(size, sizes.optimizer, share), MemoryKind::kOptimizerState);
    }
    persistent(rules.persistent_state(ops[i]), MemoryKind::kWeights);
  }
  persistent(strategy.communication_bytes, MemoryKind::kCommunication);
}

MemoryTape trace_liveness(const MemoryRules& rules) { return LivenessWalk(rules).run(); }

MemoryTape trace_with_workspace(const MemoryRules& rules) {
  MemoryTape tape = trace_liveness(rules);
  if (const std::int64_t workspace = largest_workspace(rules); workspace > 0) {
    tape.allocate_first(workspace, MemoryKind::kWorkspace);
  }
  return tape;
}

}  // namespace paceline
