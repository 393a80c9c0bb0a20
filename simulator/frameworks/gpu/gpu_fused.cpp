// A group of elementwise operations, with the normalisation it may begin with, as one kernel
// forward and one backward: docs/models/gpu-execution.md.
#include <algorithm>

#include "simulator/frameworks/gpu/gpu_operations.h"

namespace paceline::gpu {
namespace {

struct Group {
  Issuer& i;
  const FusedGroup& group;

  const Op& first() const { return i.graph().ops()[group.members.front()]; }
  const Norm* norm() const { return std::get_if<Norm>(&first().attributes); }
  bool norm_of_rows() const {
    return norm() != nullptr &&
           (norm()->kind == Normalization::kLayer || norm()->kind == Normalization::kRms);
  }
  // Sums over a batch need a pass of their own over what they sum.
  bool reads_twice() const { return norm() != nullptr && !norm_of_rows(); }
  std::int64_t out() const { return i.elements(group.output); }
  std::int64_t row() const { return norm_of_rows() ? norm()->features : 0; }
  Bytes bytes(const std::vector<TensorId>& tensors) const {
    Bytes sum;
    for (const TensorId tensor : tensors) sum += i.bytes(tensor);
    return sum;
  }
  bool small(TensorId input) const { return i.elements(input) != out(); }

  void forward() const {
    i.host("pointwise");
    Bytes read = bytes(group.inputs);
    if (reads_twice()) read += i.bytes(first().inputs[0]);
    std::vector<Operand> operands = {i.activation(group.output)};
    for (const TensorId input : group.inputs) operands.push_back(i.activation(input));
    const StreamKind kind = norm_of_rows() ? StreamKind::kNormalization : StreamKind::kElementwise;
    i.stream("fused", out(), {read, i.bytes(group.output) + group.stored}, std::move(operands),
             kind, row());
  }

  void backward() const {
    i.host("pointwise");
    const Bytes gradient = i.bytes(group.output);
    const Bytes read = gradient + bytes(group.kept) + group.stored;
    std::vector<TensorId> written;
    for (const TensorId input : group.written) {
      if (!small(input)) written.push_back(input);
    }
    std::vector<Operand> operands = {i.gradient(group.output)};
    for (const TensorId kept : group.kept) operands.push_back(i.activation(kept));
    for (const TensorId input : written) operands.push_back(i.gradient(input));
    if (!written.empty()) {
      const StreamKind kind =
          norm_of_rows() ? StreamKind::kNormalizationBackward : StreamKind::kElementwise;
      i.stream("fused_backward", out(), {(reads_twice() ? 2.0 : 1.0) * read, bytes(written)},
               operands, kind, row());
    }
    // The gradient of a broadcast operand is summed over what was repeated.
    for (const TensorId input : group.written) {
      if (small(input)) i.stream("sum", out(), {read, i.bytes(input)}, operands);
    }
    for (const TensorId input : group.inputs) i.deliver_gradient(input);
  }
};

}  // namespace

void issue_fused_forward(Issuer& issuer, const FusedGroup& group) {
  Group{issuer, group}.forward();
}

void issue_fused_backward(Issuer& issuer, std::vector<IssuedCall>& calls, const FusedGroup& group) {
  if (!issuer.needs_gradient(group.output)) return;
  Group{issuer, group}.backward();
  for (auto member = group.members.rbegin(); member != group.members.rend(); ++member) {
    const Op& op = issuer.graph().ops()[*member];
    if (parameter_sizes(op).empty() || !issuer.needs_gradient(op.output)) continue;
    issuer.enter(calls, Phase::kBackward, *member);
    issuer.deliver_parameters(op);
  }
}

}  // namespace paceline::gpu
