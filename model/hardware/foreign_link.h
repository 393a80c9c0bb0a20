// Links that a device was never sold with: a user may ask what they would bring, but must be told.
#pragma once

#include <optional>
#include <string>

#include "model/hardware/device_spec.h"
#include "model/hardware/machine_spec.h"

namespace paceline {

// Of the first NVLink or switch of the cluster's machine that is no link of `device`, or is faster
// than its data sheet says: that it is made up. Nothing if there is none.
std::optional<std::string> foreign_link(const DeviceSpec& device, const ClusterSpec& cluster);

}  // namespace paceline
