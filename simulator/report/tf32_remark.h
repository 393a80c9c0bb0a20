// What a prediction in fp32 leaves out of what a framework does by default.
#pragma once

#include <optional>
#include <string>

#include "model/hardware/device_spec.h"
#include "model/plan/report.h"

namespace paceline {

// Of a report in fp32 for which nobody asked for a precision: which of its work the framework would
// run in TF32 on this device (record, "tf32_by_default"), and the flag that predicts it. Nothing
// where there is no such work, where layers or the whole were measured, and of a CPU (`device` is
// null or one).
std::optional<std::string> tf32_remark(const Report& report, const DeviceSpec* device);

}  // namespace paceline
