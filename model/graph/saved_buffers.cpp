// work.h: what forward keeps for backward. The rules follow PyTorch's derivatives: which operand of
// each operation its gradient formula reads.
#include "model/graph/memory_placement.h"
#include "model/graph/work.h"

namespace paceline {
namespace {

using Buffers = std::vector<SavedBuffer>;

constexpr Bytes kStatistic{4};     // mean, inverse deviation, log-sum-exp: always fp32
constexpr Bytes kMaskElement{1};   // dropout keeps one byte per element
constexpr Bytes kIndexElement{8};  // pooling keeps int64 positions

struct BuffersOf {
  const WorkloadGraph& graph;
  const Op& op;

  const Tensor& in(std::size_t i = 0) const { return graph.tensor(op.inputs[i]); }
  const Tensor& out() const { return graph.tensor(op.output); }
  SavedBuffer tensor(TensorId id) const {
    const TensorId owner = graph.storage(id);
    return {owner, graph.tensor(owner).bytes()};
  }
  // What the BLAS call reads: the copy where there is one.
  SavedBuffer operand(std::size_t i) const {
    if (!copies_operand(graph, op, i)) return tensor(op.inputs[i]);
    return own(elements(in(i)), in(i).element_bytes());
  }
  Buffers input() const { return {tensor(op.inputs[0])}; }
  Buffers output() const { return {tensor(op.output)}; }
  static SavedBuffer own(double count, Bytes each) { return {std::nullopt, count * each}; }
  static double elements(const Tensor& t) { return static_cast<double>(t.shape.elements()); }

  // The gradient of a weight is the product of the input and the output's gradient.
  Buffers weighted() const { return op.trainable ? input() : Buffers{}; }

  Buffers operator()(const Linear&) const { return op.trainable ? Buffers{operand(0)} : Buffers{}; }
  Buffers operator()(const ExpertLinear&) const { return weighted(); }
  Buffers operator()(const Conv2d&) const { return weighted(); }
  Buffers operator()(const ConvTranspose2d&) const { return weighted(); }
  Buffers product() const {
    Buffers buffers;
    if (in(1).needs_gradient) buffers.push_back(operand(0));
    if (in(0).needs_gradient) buffers.push_back(operand(1));
    return buffers;
  }
  Buffers operator()(const Matmul&) const { return product(); }
  Buffers operator()(const Multiply&) const { return product(); }
  Buffers operator()(const Attention&) const {
    const auto& q = in(0).shape.dims;
    return {tensor(op.inputs[0]), tensor(op.inputs[1]), tensor(op.inputs[2]), tensor(op.output),
            own(static_cast<double>(q[0] * q[1] * q[2]), kStatistic)};
  }
  Buffers operator()(const Norm& norm) const {
    if (norm.kind == Normalization::kBatch && !op.trainable) return {};  // running statistics
    const double features = static_cast<double>(norm.features);
    const double rows = norm.kind == Normalization::kBatch ? features
                        : norm.kind == Normalization::kGroup
                            ? static_cast<double>(in().shape.dims[0] * norm.groups)
                            : elements(in()) / features;
    const double statistics = norm.kind == Normalization::kRms ? 1 : 2;
    return {tensor(op.inputs[0]), own(statistics * rows, kStatistic)};
  }
  Buffers operator()(const LocalResponseNorm&) const {
    return {tensor(op.inputs[0]), tensor(op.output), own(elements(in()), kStatistic)};
  }
  Buffers operator()(const Activate& activate) const {
    switch (activate.kind) {
      case Activation::kRelu:
      case Activation::kSigmoid:
      case Activation::kTanh:
        return output();
      case Activation::kRelu6:
      case Activation::kClippedRelu:
        // In place, PyTorch copies the input before it is overwritten.
        if (activate.in_place) return {own(elements(in()), in().element_bytes())};
        break;
      case Activation::kLeakyRelu:
      case Activation::kGelu:
      case Activation::kSilu:
        break;
    }
    return input();
  }
  Buffers operator()(const Pool2d& pool) const {
    if (pool.kind == Pooling::kAverage) return input();
    return {tensor(op.inputs[0]), own(elements(out()), kIndexElement)};
  }
  Buffers operator()(const Softmax&) const { return output(); }
  Buffers operator()(const Dropout& dropout) const {
    return dropout.probability > 0 ? Buffers{own(elements(in()), kMaskElement)} : Buffers{};
  }
  Buffers operator()(const Embedding&) const { return input(); }
  Buffers operator()(const Gather&) const {
    return op.inputs.size() > 1 ? Buffers{tensor(op.inputs[1])} : Buffers{};
  }
  Buffers operator()(const TopK&) const { return {own(elements(out()), kIndexElement)}; }
  // cuDNN's reserve space: the activated gates, the cell of an LSTM, and what passes between
  // layers.
  Buffers operator()(const Rnn& rnn) const {
    const double gates = rnn.cell == RnnCell::kLstm ? 5 : rnn.cell == RnnCell::kGru ? 4 : 0;
    const double states = elements(out());
    return {tensor(op.inputs[0]), tensor(op.output),
            own(states *
                    (gates * static_cast<double>(rnn.layers) + static_cast<double>(rnn.layers - 1)),
                out().element_bytes())};
  }
  Buffers operator()(const CrossEntropy&) const {  // log-probabilities
    return {own(elements(in()), kStatistic), tensor(op.inputs[1])};
  }
  Buffers operator()(const Loss& loss) const {
    if (loss.kind == LossKind::kMean) return {};
    Buffers buffers;
    for (const TensorId id : op.inputs) buffers.push_back(tensor(id));
    return buffers;
  }
  template <typename Other>
  Buffers operator()(const Other&) const {
    return {};
  }
};

}  // namespace

bool copies_operand(const WorkloadGraph& graph, const Op& op, std::size_t index) {
  const bool matmul = std::holds_alternative<Matmul>(op.attributes);
  if (!matmul && !std::holds_alternative<Linear>(op.attributes)) return false;
  const Tensor& tensor = graph.tensor(op.inputs[index]);
  const std::size_t kept = matmul ? 2 : 1;
  const auto& dims = tensor.shape.dims;
  if (dims.size() <= kept + 1) return false;
  TensorShape joined{{1}};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i + kept < dims.size()) {
      joined.dims[0] *= dims[i];
    } else {
      joined.dims.push_back(dims[i]);
    }
  }
  return !view_strides(tensor.shape, tensor.strides, joined);
}

std::vector<SavedBuffer> saved_buffers(const WorkloadGraph& graph, const Op& op) {
  if (!graph.tensor(op.output).needs_gradient) return {};
  return std::visit(BuffersOf{graph, op}, op.attributes);
}

Bytes saved_bytes(const WorkloadGraph& graph, const Op& op) {
  Bytes sum;
  for (const SavedBuffer& buffer : saved_buffers(graph, op)) sum += buffer.bytes;
  return sum;
}

}  // namespace paceline
