// Model state spread over the devices of a data-parallel group, and the buffers that gather it
// again: ZeRO's stages (Rajbhandari et al., arXiv 1910.02054) and fully sharded data parallelism.
#pragma once

#include "model/graph/workload_graph.h"
#include "simulator/memory/memory_setting.h"

namespace paceline {

enum class Sharded { kNothing, kOptimizer, kGradients, kWeights };  // each includes the ones before

// Bytes of whole layers that exist besides shares of the weights: `units` of the largest block
// (the one in use, the one fetched ahead, and the gradient of one before it is scattered), in the
// precision in which they are used.
std::int64_t gathered_bytes(const WorkloadGraph& graph, const ModelStateSizes& sizes,
                            int units = 3);

StrategyMemory sharded_state(Sharded what, std::int64_t devices, const WorkloadGraph& graph,
                             const ModelStateSizes& sizes, int units = 3);

// Parameters of the largest block of the network (operations whose names agree up to their first
// number), which is gathered as one unit.
std::int64_t largest_unit(const WorkloadGraph& graph);

}  // namespace paceline
