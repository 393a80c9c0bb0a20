#include "simulator/memory/persistent_buffers.h"

#include <algorithm>

#include "simulator/memory/layer_keeps.h"
#include "simulator/memory/liveness.h"

namespace paceline {
namespace {

std::int64_t workspace_of(const MemoryRules& rules, const Op& op) {
  std::int64_t most = 0;
  for (const Pass pass : {Pass::kForward, Pass::kDgrad, Pass::kWgrad}) {
    most = std::max(most, rules.library_workspace(op, pass));
  }
  return most;
}

}  // namespace

MemoryTape trace_persistent(const MemoryRules& rules, const PersistentStyle& style) {
  const WorkloadGraph& graph = rules.graph();
  MemoryTape tape;
  allocate_model_state(rules, tape);
  for (const TensorId input : graph.inputs()) {
    tape.allocate(rules.bytes(input), MemoryKind::kInput);
  }
  std::vector<std::int64_t> readers(graph.tensors().size(), 0);
  const auto allocate = [&](std::int64_t bytes, MemoryKind kind) {
    if (bytes > 0) tape.allocate(bytes, kind);
  };
  for (std::size_t i = 0; i < graph.ops().size(); ++i) {
    const Op& op = graph.ops()[i];
    if (!rules.runs(op)) continue;
    tape.enter(TapePhase::kForward, i);
    for (const TensorId input : op.inputs) ++readers[static_cast<std::size_t>(input)];
    if (rules.output(op) == Place::kNew) {
      allocate(rules.bytes(op.output), MemoryKind::kFeatureMaps);
    }
    // Normalisations write theirs in inference too.
    const bool keeps = rules.runs_backward() || std::holds_alternative<Norm>(op.attributes);
    for (const SavedBuffer& buffer : keeps ? rules.kept(op) : std::vector<SavedBuffer>()) {
      if (!buffer.tensor) {
        allocate(static_cast<std::int64_t>(buffer.bytes.si()), MemoryKind::kFeatureMaps);
      }
    }
    if (style.workspace_per_layer) {
      allocate(style.workspaces * workspace_of(rules, op), MemoryKind::kWorkspace);
    }
  }
  if (!style.workspace_per_layer) {
    allocate(style.workspaces * largest_workspace(rules), MemoryKind::kWorkspace);
  }
  for (std::size_t i = rules.runs_backward() ? graph.ops().size() : 0; i-- > 0;) {
    const Op& op = graph.ops()[i];
    tape.enter(TapePhase::kBackward, i);
    const auto count = readers[static_cast<std::size_t>(op.output)];
    if (style.gradient_per_reader) {
      if (!graph.tensor(op.output).needs_gradient) continue;
      // The operation's own gradient, unless it works in place, and one per reader of a split.
      const std::int64_t own = rules.output(op) == Place::kNew ? 1 : 0;
      allocate((own + (count > 1 ? count : 0)) * rules.bytes(op.output), MemoryKind::kFeatureMaps);
      continue;
    }
    for (std::size_t k = 0; k < op.inputs.size(); ++k) {
      if (!graph.tensor(op.inputs[k]).needs_gradient) continue;
      if (rules.input_gradient(op, k) != Place::kNew) continue;
      allocate(rules.bytes(op.inputs[k]), MemoryKind::kFeatureMaps);
    }
    if (graph.tensor(op.output).needs_gradient && count > 1) {
      allocate(rules.bytes(op.output), MemoryKind::kFeatureMaps);
    }
  }
  return tape;
}

}  // namespace paceline
