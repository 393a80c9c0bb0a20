// What every framework lets a user choose on a GPU, and what a choice does to the graph.
#pragma once

#include <vector>

#include "core/units.h"
#include "model/graph/workload_graph.h"
#include "simulator/frameworks/framework.h"
#include "simulator/frameworks/record/gpu_record.h"

namespace paceline::gpu {

// With the record's defaults.
std::vector<FrameworkOption> common_options(const GpuRecord& record);
// Casts and layout that the settings ask for, and fused attention where the framework has it on
// that device. Throws UsageError if it is asked for where the framework has none.
WorkloadGraph prepare_graph(WorkloadGraph graph, Precision precision, const DeviceSpec& device,
                            const GpuRecord& record, const FrameworkSettings& settings);
// Scratch memory that the settings grant one kernel.
Bytes workspace_limit(const FrameworkSettings& settings);

}  // namespace paceline::gpu
