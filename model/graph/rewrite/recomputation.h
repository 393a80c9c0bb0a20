// Activation checkpointing: forward results that are dropped and made again in backward.
#pragma once

#include "model/graph/workload_graph.h"

namespace paceline {

enum class Recomputation {
  kNone,
  kAttention,  // scores, softmax and dropout between queries, keys and values ("selective")
  kBlocks,     // everything inside each block; only what enters a block is kept ("full")
};

// A block is a run of operations whose names agree up to their first number ("layers.3.",
// "layer1.0." counts as "layer1.0."); operations outside of blocks are kept. Throws UsageError if
// the network has no attention or no blocks.
WorkloadGraph with_recomputation(WorkloadGraph graph, Recomputation what);

// Forward FLOP that backward spends again.
Flops recomputed_flops(const WorkloadGraph& graph);

}  // namespace paceline
