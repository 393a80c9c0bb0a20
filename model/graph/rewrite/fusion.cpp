#include "model/graph/rewrite/fusion.h"

#include <map>
#include <set>

#include "model/graph/rewrite/graph_rewriter.h"

namespace paceline {
namespace {

bool is_elementwise(const Op& op) {
  return std::holds_alternative<Activate>(op.attributes) ||
         std::holds_alternative<Dropout>(op.attributes) ||
         std::holds_alternative<Add>(op.attributes) ||
         std::holds_alternative<Multiply>(op.attributes) ||
         std::holds_alternative<Scale>(op.attributes) ||
         std::holds_alternative<CausalMask>(op.attributes) ||
         std::holds_alternative<Cast>(op.attributes) ||
         std::holds_alternative<Rotary>(op.attributes);
}

bool can_begin(const Op& op, const FusionRules& rules) {
  if (std::holds_alternative<Norm>(op.attributes)) return rules.into_normalization;
  if (std::holds_alternative<Linear>(op.attributes) ||
      std::holds_alternative<Conv2d>(op.attributes)) {
    return rules.into_matrix_operation;
  }
  return is_elementwise(op) && rules.elementwise_chains;
}

}  // namespace

WorkloadGraph with_fusion(WorkloadGraph graph, const FusionRules& rules) {
  GraphRewriter rewriter(std::move(graph));
  std::map<TensorId, Op*> producer;
  std::map<TensorId, int> uses;
  for (const Op& op : rewriter.ops()) {
    for (const TensorId input : op.inputs) ++uses[input];
  }
  std::uint32_t groups = 0;
  for (Op& op : rewriter.ops()) {
    producer[op.output] = &op;
    if (!is_elementwise(op)) continue;
    // A sum joins whichever of its operands was made last by an operation that can be joined.
    Op* before = nullptr;
    for (const TensorId input : op.inputs) {
      const auto found = producer.find(input);
      if (found == producer.end() || uses[input] != 1) continue;
      if (found->second->recomputed != op.recomputed) continue;
      if (found->second->fusion_group == 0 && !can_begin(*found->second, rules)) continue;
      if (before == nullptr || found->second > before) before = found->second;
    }
    if (before == nullptr) continue;
    if (before->fusion_group == 0) before->fusion_group = ++groups;
    op.fusion_group = before->fusion_group;
  }
  // A group writes into memory of its own, also where its operations work in place.
  for (const Op& op : rewriter.ops()) {
    if (op.fusion_group != 0) rewriter.tensor(op.output).alias_of.reset();
  }
  return std::move(rewriter).finish();
}

Bytes external_traffic(const WorkloadGraph& graph, const std::vector<const Op*>& group) {
  std::set<TensorId> made, read_inside, read;
  for (const Op* op : group) made.insert(op->output);
  for (const Op* op : group) {
    for (const TensorId input : op->inputs) {
      (made.contains(input) ? read_inside : read).insert(input);
    }
  }
  Bytes sum;
  for (const TensorId id : read) sum += graph.tensor(id).bytes();
  for (const Op* op : group) {
    const bool inside = read_inside.contains(op->output);
    // A result that only the group reads never reaches memory.
    bool outside = !inside;
    for (const Op& other : graph.ops()) {
      const bool member = other.fusion_group != 0 && other.fusion_group == op->fusion_group;
      for (const TensorId input : other.inputs)
        outside = outside || (input == op->output && !member);
    }
    if (outside) sum += graph.tensor(op->output).bytes();
  }
  return sum;
}

}  // namespace paceline
