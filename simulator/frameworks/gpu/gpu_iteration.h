// The calls of a whole training iteration on a GPU, layer by layer.
#pragma once

#include "model/graph/workload_graph.h"
#include "simulator/frameworks/framework.h"
#include "simulator/frameworks/record/gpu_record.h"

namespace paceline::gpu {

// Copy of the batch where the issuing thread does that itself, zeroing of gradients, forward,
// backward, and the optimizer's update. Issued twice, because what an iteration finds in the
// caches, the one before has left there.
IssuedIteration issue_iteration(const WorkloadGraph& graph, const GpuRecord& record,
                                const FrameworkSettings& settings);

}  // namespace paceline::gpu
