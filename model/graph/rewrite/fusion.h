// Which operations a framework runs as one kernel. Nothing is replaced: operations of a group carry
// the same Op::fusion_group, and the kernel reads and writes only what crosses the group's edge.
#pragma once

#include "model/graph/workload_graph.h"

namespace paceline {

struct FusionRules {
  bool elementwise_chains = true;   // activations, additions, masks, dropout, casts in a row
  bool into_normalization = false;  // batch, layer or RMS normalisation takes the chain behind it
  bool into_matrix_operation = false;  // so does a Linear or convolution (epilogue)
};

// A chain goes on while its last result is read by the next operation alone.
WorkloadGraph with_fusion(WorkloadGraph graph, const FusionRules& rules);

// Bytes that a group reads from and writes to memory; for an operation of no group, its own.
Bytes external_traffic(const WorkloadGraph& graph, const std::vector<const Op*>& group);

}  // namespace paceline
