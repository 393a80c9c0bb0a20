// A claimed utilization of the arithmetic peak (MFU) against the data sheet of the device.
//
// Peaks are dense: with 2:4 sparsity, which training does not use, data sheets print twice as much,
// since half of the products are left out (docs/models/flop-conventions.md).
#pragma once

#include <optional>
#include <vector>

#include "answers/check/finding.h"
#include "model/hardware/device_catalog.h"

namespace paceline {

struct ClaimedUtilization {
  double share = 0;                            // 0.33 for 33 %
  std::optional<FlopsPerSecond> assumed_peak;  // that it was divided by, if known
};

// Above 1 is impossible; names whose peak was probably used. An assumed peak is recognized as the
// sparse one, that of another precision, or that of another device, and both shares are given.
std::vector<Finding> check_utilization(const ClaimedUtilization& claim, const DeviceSpec& device,
                                       Precision precision, const DeviceCatalog& catalog);

// What is wrong with `assumed` as the dense peak of this device; nothing if it is right.
// `utilization` is what follows from the true peak, for the text.
std::optional<Finding> check_peak(FlopsPerSecond assumed, double claimed_share,
                                  const DeviceSpec& device, Precision precision,
                                  const DeviceCatalog& catalog);

}  // namespace paceline
