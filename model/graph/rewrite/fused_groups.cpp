// fusion.h: what the one kernel of a group reads, writes and keeps.
#include <algorithm>
#include <map>

#include "model/graph/rewrite/fusion.h"
#include "model/graph/work.h"

namespace paceline {
namespace {

bool contains(const std::vector<TensorId>& list, TensorId id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}
void insert(std::vector<TensorId>& list, TensorId id) {
  if (!contains(list, id)) list.push_back(id);
}

class GroupBuilder {
 public:
  GroupBuilder(const WorkloadGraph& graph, FusedGroup& group) : graph_(graph), group_(group) {}

  void fill() {
    for (const std::size_t member : group_.members) made_.push_back(op(member).output);
    group_.output = made_.back();
    for (const std::size_t member : group_.members) {
      for (const TensorId input : op(member).inputs) {
        if (!contains(made_, input)) insert(group_.inputs, input);
      }
    }
    if (!graph_.tensor(group_.output).needs_gradient) return;
    for (const std::size_t member : group_.members) need(op(member));
    make_inner();
    pass_gradients();
  }

 private:
  const Op& op(std::size_t member) const { return graph_.ops()[member]; }
  Bytes bytes(const std::vector<TensorId>& list) const {
    Bytes sum;
    for (const TensorId id : list) sum += graph_.tensor(id).bytes();
    return sum;
  }

  // The tensor that the derivative of `op` reads. Saved buffers name the owner of the memory, which
  // an operation in place shares with its input.
  TensorId read_by(const Op& op, TensorId owner) const {
    const auto* activate = std::get_if<Activate>(&op.attributes);
    const bool from_output = activate != nullptr && (activate->kind == Activation::kRelu ||
                                                     activate->kind == Activation::kSigmoid ||
                                                     activate->kind == Activation::kTanh);
    if (from_output) return op.output;
    for (const TensorId input : op.inputs) {
      if (graph_.storage(input) == owner) return input;
    }
    return op.output;
  }

  void need(const Op& op) {
    for (const SavedBuffer& buffer : saved_buffers(graph_, op)) {
      if (buffer.tensor) {
        const TensorId id = read_by(op, *buffer.tensor);
        const bool outside = id == group_.output || !contains(made_, id);
        insert(outside ? group_.kept : inner_, id);
      } else if (std::holds_alternative<Norm>(op.attributes)) {
        group_.statistics += buffer.bytes;
      } else if (std::holds_alternative<Activate>(op.attributes)) {
        // A copy of the input, against being overwritten in place: a group overwrites nothing.
        const TensorId input = op.inputs[0];
        insert(contains(made_, input) ? inner_ : group_.kept, input);
      }
    }
  }

  void make_inner() {
    if (inner_.empty()) return;
    std::vector<TensorId> more;
    for (const TensorId input : group_.inputs) {
      if (!contains(group_.kept, input)) more.push_back(input);
    }
    if (bytes(more) <= bytes(inner_)) {
      group_.kept.insert(group_.kept.end(), more.begin(), more.end());
    } else {
      group_.stored = bytes(inner_);
    }
  }

  // An addition hands the gradient of its result to operands of the same size as it is.
  void pass_gradients() {
    std::map<TensorId, TensorId> same_as;  // a tensor -> the one whose gradient it shares
    same_as[group_.output] = group_.output;
    std::vector<TensorId> sources;
    for (auto member = group_.members.rbegin(); member != group_.members.rend(); ++member) {
      const Op& at = op(*member);
      if (!graph_.tensor(at.output).needs_gradient) continue;
      const auto* dropout = std::get_if<Dropout>(&at.attributes);
      const bool adds = std::holds_alternative<Add>(at.attributes) ||
                        (dropout != nullptr && dropout->probability <= 0);
      for (const TensorId input : at.inputs) {
        if (!graph_.tensor(input).needs_gradient) continue;
        const bool whole = graph_.shape(input).elements() == graph_.shape(at.output).elements();
        const TensorId source = adds && whole ? same_as[at.output] : input;
        same_as[input] = source;
        if (contains(made_, input)) continue;
        if (source == group_.output || contains(sources, source)) continue;
        sources.push_back(source);
        group_.written.push_back(input);
      }
    }
  }

  const WorkloadGraph& graph_;
  FusedGroup& group_;
  std::vector<TensorId> made_, inner_;
};

}  // namespace

std::vector<FusedGroup> fused_groups(const WorkloadGraph& graph) {
  std::map<std::uint32_t, FusedGroup> by_number;
  for (std::size_t i = 0; i < graph.ops().size(); ++i) {
    const std::uint32_t number = graph.ops()[i].fusion_group;
    if (number != 0) by_number[number].members.push_back(i);
  }
  std::vector<FusedGroup> out;
  for (auto& [number, group] : by_number) {
    GroupBuilder(graph, group).fill();
    out.push_back(std::move(group));
  }
  std::sort(out.begin(), out.end(), [](const FusedGroup& a, const FusedGroup& b) {
    return a.members.back() < b.members.back();
  });
  return out;
}

}  // namespace paceline
