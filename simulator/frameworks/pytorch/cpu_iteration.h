// One training iteration of PyTorch 1.13 on a CPU: docs/models/pytorch-cpu.md.
#pragma once

#include "simulator/frameworks/framework.h"
#include "simulator/frameworks/record/framework_record.h"

namespace paceline::pytorch {

// Of the settings "phases" counts (phases_option(); absent: training). Throws UsageError naming the
// layer if there is no implementation for it.
IssuedIteration issue_cpu_iteration(const WorkloadGraph& graph, const FrameworkRecord& record,
                                    const ExecutionContext& context,
                                    const FrameworkSettings& settings = {});

}  // namespace paceline::pytorch
