#include "simulator/memory/fused_memory.h"

namespace paceline {

FusedMemory::FusedMemory(const WorkloadGraph& graph) {
  for (const FusedGroup& group : fused_groups(graph)) {
    std::set<TensorId> waiting(group.kept.begin(), group.kept.end());
    const auto keep = [&](const Op& op, TensorId id) {
      const TensorId owner = id == group.output ? id : graph.storage(id);
      kept_[op.output].push_back({owner, graph.tensor(owner).bytes()});
    };
    for (const std::size_t member : group.members) {
      const Op& op = graph.ops()[member];
      if (op.output != group.output) inside_.insert(op.output);
      for (const TensorId input : op.inputs) {
        if (waiting.erase(input) > 0) keep(op, input);
      }
    }
    const Op& last = graph.ops()[group.members.back()];
    if (waiting.contains(group.output)) keep(last, group.output);
    const Bytes own = group.stored + group.statistics;
    if (own > Bytes(0)) kept_[last.output].push_back({std::nullopt, own});
  }
}

std::vector<SavedBuffer> FusedMemory::kept(const Op& op) const {
  const auto found = kept_.find(op.output);
  return found == kept_.end() ? std::vector<SavedBuffer>{} : found->second;
}

Place FusedMemory::output(const Op& op) const {
  return !op.inputs.empty() && is_inside(op.inputs[0]) ? Place::kSame : Place::kNew;
}

}  // namespace paceline
