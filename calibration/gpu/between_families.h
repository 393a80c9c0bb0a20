// What families have in common on a device that was not measured. Clocks under load, a library's
// age and a board's memory move all kernels of a device, so a device that is slower than expected
// in one family tends to be so in others; errors of families do not average out over a network as
// if they were independent.
//
// Each device is left out of each family; z is its typical error in units of the standard deviation
// that the family states for a further device. With z = c + e, c of the device and e of device and
// family, the share var(c) / (var(c) + var(e)) follows from one-way analysis of variance
// (calibration/selection/error_parts.h), the mean of all z counting as common.
#pragma once

#include <span>

#include "calibration/gpu/gpu_fit.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

// The share of the variance of a pooled prediction's shared error that all families of the device
// have in common, in [0, 1]. Families with a single device are left out: it would be held against
// itself.
double common_share(std::span<const FamilyFit> families);

// The same as a set of one fit, "gpu.transfer".
ParameterSet between_families(std::span<const FamilyFit> families);

}  // namespace paceline
