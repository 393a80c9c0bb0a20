// What one operation costs, whoever runs it: parameters, FLOP per pass, bytes, tensors kept for the
// backward pass. A framework turns the same facts into concrete kernels.
#pragma once

#include <vector>

#include "core/units.h"
#include "model/graph/workload_graph.h"
#include "model/kernel/kernel.h"

namespace paceline {

// Element counts of the operation's separate trainable tensors: {weight, bias} for a convolution.
std::vector<std::int64_t> parameter_sizes(const Op& op);

// FLOP of one pass (0 where the pass does not exist, e.g. wgrad without parameters).
Flops pass_flops(const WorkloadGraph& graph, const Op& op, Pass pass);

// The matrix or convolution kernels that the mathematics of this pass calls for, before any
// framework decides how to run them; empty for bandwidth-bound operations.
std::vector<KernelShape> pass_kernels(const WorkloadGraph& graph, const Op& op, Pass pass);

// Whether the gradient with respect to the operation's first input is needed: false when it is the
// network's input or integer.
bool needs_input_gradient(const WorkloadGraph& graph, const Op& op);

// Bytes the operation must keep from forward to backward (fp32 activations).
Bytes saved_bytes(const WorkloadGraph& graph, const Op& op);

}  // namespace paceline
