// Attention in one operation that never stores the scores (FlashAttention).
#pragma once

#include "model/graph/workload_graph.h"

namespace paceline {

// Replaces every product of queries and keys, softmax, and product with values, together with the
// scaling, causal mask and dropout between them, by one Attention. Scores with an added bias stay
// as they are. The result's parameters and FLOP are those of the original.
WorkloadGraph with_fused_attention(WorkloadGraph graph);

}  // namespace paceline
