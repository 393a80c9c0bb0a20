#include "model/cost/least_arithmetic.h"

#include <algorithm>

#include "model/cost/formula_inputs.h"
#include "model/graph/work.h"

namespace paceline {
namespace {

double least_of_convolution(const ConvShape& shape, Precision precision, bool on_matrix_units) {
  formula::ConvolutionInput in = convolution_input(shape);
  in.element_bytes = element_size(precision).si();
  in.on_matrix_units = on_matrix_units;
  double least = kernel_flops(shape).si();
  for (const formula::ConvolutionAlgorithm algorithm : formula::kConvolutionAlgorithms) {
    if (!formula::is_supported(in, algorithm)) continue;
    least = std::min(least, formula::algorithm_flops(in, algorithm));
  }
  return least;
}

// Of position i only i + 1 of the scores count under a causal mask.
double share_of_scores(const WorkloadGraph& graph, const Op& op) {
  const auto* attention = std::get_if<Attention>(&op.attributes);
  if (attention == nullptr || !attention->causal) return 1;
  const double seq = static_cast<double>(graph.shape(op.inputs[1]).dims[2]);
  return (seq + 1) / (2 * seq);
}

Flops least_of_pass(const WorkloadGraph& graph, Pass pass, Precision precision,
                    bool on_matrix_units) {
  Flops sum;
  for (const Op& op : graph.ops()) {
    Flops of_op;
    for (const KernelShape& shape : pass_kernels(graph, op, pass)) {
      of_op += least_flops(shape, precision, on_matrix_units);
    }
    sum += share_of_scores(graph, op) * of_op;
  }
  return sum;
}

}  // namespace

Flops least_flops(const KernelShape& shape, Precision precision, bool on_matrix_units) {
  const auto* convolution = std::get_if<ConvShape>(&shape);
  if (convolution == nullptr) return kernel_flops(shape);
  return Flops(least_of_convolution(*convolution, precision, on_matrix_units));
}

Flops least_forward_flops(const WorkloadGraph& graph, Precision precision, bool on_matrix_units) {
  return least_of_pass(graph, Pass::kForward, precision, on_matrix_units);
}

Flops least_training_flops(const WorkloadGraph& graph, Precision precision, bool on_matrix_units) {
  Flops sum;
  for (const Pass pass : {Pass::kForward, Pass::kDgrad, Pass::kWgrad}) {
    sum += least_of_pass(graph, pass, precision, on_matrix_units);
  }
  return sum;
}

}  // namespace paceline
