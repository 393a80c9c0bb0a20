// What an experiment asks of the memory model.
#pragma once

#include "model/plan/experiment.h"
#include "simulator/device/training_device.h"
#include "simulator/memory/memory_model.h"

namespace paceline {

// `workspace_limit` is that of one kernel, as in the time model; convolutions take the workspace of
// the very algorithm that the time model chose. `device` must outlive the request.
MemoryRequest memory_request(const Experiment& resolved, const TrainingDevice& device,
                             const FrameworkSettings& settings, Bytes workspace_limit);

}  // namespace paceline
