// One training iteration of PyTorch 1.13 on a CPU: docs/models/pytorch-cpu.md.
#pragma once

#include "simulator/frameworks/framework.h"
#include "simulator/frameworks/record/framework_record.h"

namespace paceline::pytorch {

// Throws UsageError naming the layer if there is no implementation for it.
IssuedIteration issue_cpu_iteration(const WorkloadGraph& graph, const FrameworkRecord& record,
                                    const ExecutionContext& context);

}  // namespace paceline::pytorch
