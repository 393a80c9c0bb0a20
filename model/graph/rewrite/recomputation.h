// Activation checkpointing: forward results that are dropped and made again in backward.
#pragma once

#include <string_view>
#include <vector>

#include "model/graph/workload_graph.h"

namespace paceline {

enum class Recomputation {
  kNone,
  kAttention,   // what lies between queries, keys and values, or in an additive score ("selective")
  kBlocks,      // everything inside each block; only what enters a block is kept ("full")
  kMirror,      // whatever costs little: all but products, convolutions, losses ("mirror", MXNet)
  kEveryOther,  // all but attention and every second product ("operations", torchtitan)
};
// "none", "selective", "full", "mirror", "operations"; throws UsageError naming them.
Recomputation parse_recomputation(std::string_view text);

// A block is a run of operations whose names agree up to their first number ("layers.3.",
// "layer1.0." counts as "layer1.0."); operations outside of blocks are kept. Throws UsageError if
// the network has no attention or no blocks. kMirror keeps what MXNET_BACKWARD_DO_MIRROR kept when
// its documentation promised 30 to 50 % less memory (MXNet 0.5 to 0.8, need_mirror in
// src/symbol/static_graph.cc; recalled): convolutions, products, concatenations, dropout, recurrent
// layers and the loss. Batch normalisations are made again; later versions keep them, which saves
// nothing where a ReLU follows.
WorkloadGraph with_recomputation(WorkloadGraph graph, Recomputation what);

// When recomputed operations run again. Those that follow one another directly form a group, which
// runs as a whole before the backward pass of the first operation that needs a result of it. A
// result that another group reads is kept after all.
struct RecomputationSchedule {
  std::vector<bool> recomputed;           // by operation: its result is dropped after forward
  std::vector<std::int64_t> reads_again;  // by operation: how often its group reads the new result
  // By operation: those that run again just before its backward pass, in forward order.
  std::vector<std::vector<std::size_t>> before_backward;
};
RecomputationSchedule recomputation_schedule(const WorkloadGraph& graph);

// Forward FLOP that backward spends again.
Flops recomputed_flops(const WorkloadGraph& graph);

}  // namespace paceline
