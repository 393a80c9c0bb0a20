// Which operations a framework runs as one kernel. Nothing is replaced: operations of a group carry
// the same Op::fusion_group, and the kernel reads and writes only what crosses the group's edge.
#pragma once

#include <cstddef>
#include <vector>

#include "model/graph/workload_graph.h"

namespace paceline {

struct FusionRules {
  bool elementwise_chains = true;   // activations, additions, masks, dropout, casts in a row
  bool into_normalization = false;  // batch, layer or RMS normalisation takes the chain behind it
  bool into_matrix_operation = false;  // so does a Linear or convolution (epilogue)
};

// A chain goes on while its last result is read by the next operation alone, so that a group has
// one output. Recomputed operations are in groups with others of their kind only.
WorkloadGraph with_fusion(WorkloadGraph graph, const FusionRules& rules);

// The gradient of a group is one kernel as well. It reads what the derivatives of its members need;
// of the tensors inside, which forward does not store, it computes them again from the group's
// inputs, unless storing them is fewer bytes. Masks of dropout come again from their seed.
struct FusedGroup {
  std::vector<std::size_t> members;  // places in WorkloadGraph::ops, in order; two or more
  std::vector<TensorId> inputs;      // made outside, each once
  TensorId output{};
  std::vector<TensorId> kept;  // of inputs and output, those that backward reads
  Bytes stored;                // tensors inside that forward writes and backward reads
  Bytes statistics;            // mean and deviation of a normalisation
  // Inputs whose gradients the kernel writes; one stands for all that share a gradient. Behind
  // additions only, an input's gradient is that of the output itself and is not written.
  std::vector<TensorId> written;
};
// In the order of their last members.
std::vector<FusedGroup> fused_groups(const WorkloadGraph& graph);

// Bytes that a group reads from and writes to memory; for an operation of no group, its own.
Bytes external_traffic(const WorkloadGraph& graph, const std::vector<const Op*>& group);

}  // namespace paceline
