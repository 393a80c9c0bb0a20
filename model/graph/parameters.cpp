// work.h: what an operation owns.
#include "model/graph/work.h"

namespace paceline {
namespace {

using Sizes = std::vector<std::int64_t>;

Sizes weight_and_bias(std::int64_t weight, bool has_bias, std::int64_t bias) {
  return has_bias ? Sizes{weight, bias} : Sizes{weight};
}

struct SizesOf {
  Sizes operator()(const Linear& op) const {
    return weight_and_bias(op.in_features * op.out_features, op.bias, op.out_features);
  }
  Sizes operator()(const ExpertLinear& op) const {
    return Sizes(static_cast<std::size_t>(op.experts), op.in_features * op.out_features);
  }
  Sizes operator()(const Conv2d& op) const {
    return weight_and_bias(
        op.out_channels * (op.in_channels / op.groups) * op.kernel_h * op.kernel_w, op.bias,
        op.out_channels);
  }
  Sizes operator()(const ConvTranspose2d& op) const {
    return weight_and_bias(op.out_channels * op.in_channels * op.kernel * op.kernel, op.bias,
                           op.out_channels);
  }
  Sizes operator()(const Norm& op) const {
    return Sizes(static_cast<std::size_t>(op.scale) + static_cast<std::size_t>(op.shift),
                 op.features);
  }
  Sizes operator()(const Embedding& op) const { return {op.rows * op.width}; }
  Sizes operator()(const TrainableTensor& op) const { return {op.shape.elements()}; }
  Sizes operator()(const Rnn& op) const {
    Sizes sizes;
    const std::int64_t directions = op.bidirectional ? 2 : 1;
    const std::int64_t gate_rows = gate_count(op.cell) * op.hidden;
    for (std::int64_t layer = 0; layer < op.layers; ++layer) {
      const std::int64_t in = layer == 0 ? op.input : op.hidden * directions;
      for (std::int64_t direction = 0; direction < directions; ++direction) {
        sizes.push_back(gate_rows * in);
        sizes.push_back(gate_rows * op.hidden);
        sizes.insert(sizes.end(), static_cast<std::size_t>(op.bias_sets), gate_rows);
      }
    }
    return sizes;
  }
  template <typename Other>
  Sizes operator()(const Other&) const {
    return {};
  }
};

}  // namespace

std::vector<std::int64_t> parameter_sizes(const Op& op) {
  if (op.sharing == Sharing::kAll) return {};
  Sizes sizes = std::visit(SizesOf{}, op.attributes);
  if (op.sharing == Sharing::kWeight && !sizes.empty()) sizes.erase(sizes.begin());
  return sizes;
}

std::vector<std::int64_t> used_parameter_sizes(const Op& op) {
  Op own = op;
  own.sharing = Sharing::kNone;
  return parameter_sizes(own);
}

bool needs_input_gradient(const WorkloadGraph& graph, const Op& op) {
  return !op.inputs.empty() && graph.tensor(op.inputs[0]).needs_gradient;
}

}  // namespace paceline
