// The least arithmetic that computes a network, whatever the library chooses: what a measured rate
// is held against when the question is whether the device can do it at all.
//
// FLOP are counted in the products of direct convolution and of whole squares of attention scores
// (docs/models/flop-conventions.md). Libraries do less: Winograd's forms and the FFT of a
// convolution (model/formula/gpu_convolution_algorithms.h), and the half of the scores that a
// causal mask leaves. A utilization in the counted FLOP may therefore exceed 1; one in these may
// not.
#pragma once

#include "core/units.h"
#include "model/graph/workload_graph.h"
#include "model/kernel/kernel.h"

namespace paceline {

// Of one kernel by the algorithm that needs least. On matrix units libraries compute convolutions
// directly. Never more than kernel_flops.
Flops least_flops(const KernelShape& shape, Precision precision, bool on_matrix_units);

// Of an iteration over the whole batch, or of its forward pass alone. Never more than
// WorkloadGraph::training_flops and forward_flops.
Flops least_training_flops(const WorkloadGraph& graph, Precision precision, bool on_matrix_units);
Flops least_forward_flops(const WorkloadGraph& graph, Precision precision, bool on_matrix_units);

}  // namespace paceline
