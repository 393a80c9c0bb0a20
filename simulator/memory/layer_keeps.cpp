#include "simulator/memory/layer_keeps.h"

#include <algorithm>

namespace paceline {
namespace {

using Buffers = std::vector<SavedBuffer>;

struct KeepsOf {
  const MemoryRules& rules;
  const Op& op;
  const KeepDifferences& differences;

  SavedBuffer tensor(TensorId id) const { return {id, rules.graph().tensor(id).bytes()}; }
  Buffers input() const { return {tensor(op.inputs[0])}; }
  Buffers all_inputs() const {
    Buffers out;
    for (const TensorId id : op.inputs) out.push_back(tensor(id));
    return out;
  }
  Buffers output() const { return {tensor(op.output)}; }
  static SavedBuffer own(std::int64_t bytes) {
    return {std::nullopt, Bytes(static_cast<double>(bytes))};
  }
  Buffers weighted() const { return op.trainable ? input() : Buffers{}; }

  Buffers operator()(const Linear&) const { return weighted(); }
  Buffers operator()(const ExpertLinear&) const { return weighted(); }
  Buffers operator()(const Conv2d&) const { return weighted(); }
  Buffers operator()(const ConvTranspose2d&) const { return weighted(); }
  Buffers operator()(const Matmul&) const { return all_inputs(); }
  Buffers operator()(const Multiply&) const { return all_inputs(); }
  Buffers operator()(const Attention&) const { return saved_buffers(rules.graph(), op); }
  Buffers operator()(const Norm&) const {
    Buffers out = saved_buffers(rules.graph(), op);
    for (SavedBuffer& buffer : out) {
      if (buffer.tensor) buffer = tensor(op.inputs[0]);
    }
    return out;
  }
  Buffers operator()(const LocalResponseNorm&) const {
    return {tensor(op.inputs[0]), tensor(op.output), own(rules.bytes(op.inputs[0]))};
  }
  Buffers operator()(const Activate& activate) const {
    switch (activate.kind) {
      case Activation::kRelu:
      case Activation::kRelu6:
      case Activation::kClippedRelu:
        return output();
      case Activation::kSigmoid:
      case Activation::kTanh: {
        Buffers out = output();
        if (differences.activation_input) out.push_back(tensor(op.inputs[0]));
        return out;
      }
      case Activation::kLeakyRelu:
      case Activation::kGelu:
      case Activation::kSilu:
        return input();
    }
    return {};
  }
  Buffers operator()(const Pool2d& pool) const {
    const bool mean = pool.kind == Pooling::kAverage;
    const bool reads = differences.pool_tensors && (!mean || differences.mean_pool_tensors);
    if (reads) return {tensor(op.inputs[0]), tensor(op.output)};
    if (mean) return {};
    return {own(differences.pool_index * rules.elements(op.output))};
  }
  Buffers operator()(const Softmax&) const { return output(); }
  Buffers operator()(const Dropout& dropout) const {
    if (dropout.probability <= 0) return {};
    return {own(differences.dropout_mask * rules.elements(op.inputs[0]))};
  }
  Buffers operator()(const Embedding&) const { return input(); }
  Buffers operator()(const Rnn&) const { return saved_buffers(rules.graph(), op); }
  Buffers operator()(const CrossEntropy&) const {
    Buffers out = {tensor(op.inputs[1])};
    out.push_back(differences.loss_beside_logits ? own(rules.bytes(op.inputs[0]))
                                                 : tensor(op.inputs[0]));
    return out;
  }
  Buffers operator()(const Loss&) const { return all_inputs(); }
  template <typename Other>
  Buffers operator()(const Other&) const {
    return {};
  }
};

}  // namespace

std::vector<SavedBuffer> layer_keeps(const MemoryRules& rules, const Op& op,
                                     const KeepDifferences& differences) {
  if (!rules.graph().tensor(op.output).needs_gradient) return {};
  return std::visit(KeepsOf{rules, op, differences}, op.attributes);
}

std::int64_t largest_workspace(const MemoryRules& rules) {
  std::int64_t most = 0;
  for (const Op& op : rules.graph().ops()) {
    for (const Pass pass : {Pass::kForward, Pass::kDgrad, Pass::kWgrad}) {
      most = std::max(most, rules.library_workspace(op, pass));
    }
  }
  return most;
}

}  // namespace paceline
