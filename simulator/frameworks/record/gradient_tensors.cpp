#include <algorithm>

#include "model/graph/work.h"
#include "simulator/frameworks/framework.h"

namespace paceline {
namespace {

// The first dimension of the weight; biases and the like are vectors.
struct RowsOf {
  std::int64_t operator()(const Linear& op) const { return op.out_features; }
  std::int64_t operator()(const ExpertLinear& op) const { return op.out_features; }
  std::int64_t operator()(const Conv2d& op) const { return op.out_channels; }
  std::int64_t operator()(const ConvTranspose2d& op) const { return op.in_channels; }
  std::int64_t operator()(const Embedding& op) const { return op.rows; }
  std::int64_t operator()(const Rnn& op) const { return gate_count(op.cell) * op.hidden; }
  template <typename Other>
  std::int64_t operator()(const Other&) const {
    return 0;
  }
};

std::int64_t rows_of(const Op& op, std::int64_t elements) {
  const std::int64_t rows = std::visit(RowsOf{}, op.attributes);
  return rows > 0 && elements % rows == 0 ? rows : elements;
}

}  // namespace

std::vector<GradientTensor> gradient_tensors(const WorkloadGraph& graph, Bytes element) {
  std::vector<GradientTensor> out;
  const std::vector<Op>& ops = graph.ops();
  for (std::size_t layer = 0; layer < ops.size(); ++layer) {
    if (!ops[layer].trainable) continue;
    const std::vector<std::int64_t> sizes = parameter_sizes(ops[layer]);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      out.push_back({.name = ops[layer].name + "/" + std::to_string(i),
                     .layer = static_cast<std::uint32_t>(layer),
                     .elements = sizes[i],
                     .rows = rows_of(ops[layer], sizes[i]),
                     .bytes = static_cast<double>(sizes[i]) * element});
    }
  }
  return out;
}

std::vector<std::uint32_t> first_gradients(const WorkloadGraph& graph) {
  std::vector<std::uint32_t> first(graph.ops().size(), PlannedCall::kNoGradient);
  std::uint32_t index = 0;
  for (const GradientTensor& gradient : gradient_tensors(graph)) {
    first[gradient.layer] = std::min(first[gradient.layer], index++);
  }
  return first;
}

}  // namespace paceline
