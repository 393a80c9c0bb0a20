// What one operation costs, whoever runs it: parameters, FLOP per pass, matrix kernels, tensors
// kept for the backward pass. A framework turns the same facts into concrete kernels. Conventions:
// docs/models/flop-conventions.md.
#pragma once

#include <optional>
#include <vector>

#include "core/units.h"
#include "model/graph/workload_graph.h"
#include "model/kernel/kernel.h"

namespace paceline {

// Element counts of the separate parameter tensors that the operation owns, frozen or not:
// {weight, bias} for a convolution. Those it takes from another operation (Op::sharing) are left
// out. A layer and direction of an Rnn has {input weights, recurrent weights, biases...}.
std::vector<std::int64_t> parameter_sizes(const Op& op);
// The same of the parameters that the operation uses, its own or another's.
std::vector<std::int64_t> used_parameter_sizes(const Op& op);

// FLOP of one pass: the sum over pass_kernels (0 where the pass does not exist).
Flops pass_flops(const WorkloadGraph& graph, const Op& op, Pass pass);

// The matrix or convolution kernels that the mathematics of this pass calls for, before any
// framework decides how to run them; empty for bandwidth-bound operations, for dgrad into a tensor
// that needs no gradient, and for wgrad of frozen or absent weights. GEMMs are in BLAS convention
// of column-major storage, as frameworks call them: a Linear's forward is TN out x rows x in. The
// gradients of both operands of a Matmul belong to kDgrad. A recurrent layer has one GEMM over all
// steps for the input and one per step for the state.
std::vector<KernelShape> pass_kernels(const WorkloadGraph& graph, const Op& op, Pass pass);

// The convolution of `op`, whose attributes are `conv`.
ConvShape convolution_shape(const WorkloadGraph& graph, const Op& op, const Conv2d& conv,
                            Pass pass);

// Whether the gradient with respect to the operation's first input is needed: false when it is the
// network's input, integer, or behind frozen parameters only.
bool needs_input_gradient(const WorkloadGraph& graph, const Op& op);

// Whether operand `index` of a Linear or Matmul must be copied before the BLAS call, because
// joining its outer dimensions into rows (Linear) or into one batch dimension (Matmul) is not a
// view.
bool copies_operand(const WorkloadGraph& graph, const Op& op, std::size_t index);

// Something kept from forward to backward: a tensor of the graph (the one that owns its memory), or
// a buffer of the operation itself (dropout mask, pooling indices, statistics, log-probabilities).
struct SavedBuffer {
  std::optional<TensorId> tensor;
  Bytes bytes;
};
// Rules of PyTorch's derivatives (and of cuDNN for recurrent layers): see the documentation page.
std::vector<SavedBuffer> saved_buffers(const WorkloadGraph& graph, const Op& op);

// The sum of saved_buffers of one operation. Operations may keep the same tensor, so the network's
// total is WorkloadGraph::saved_bytes, not the sum of these.
Bytes saved_bytes(const WorkloadGraph& graph, const Op& op);

}  // namespace paceline
