// Devices that have the same chip (same_chip of the catalog) share fits. How far off that is: every
// measured device that has such kin is predicted by the kin's fit.
#pragma once

#include "calibration/gpu/gpu_fit.h"

namespace paceline {

// Adds a fold to `family` for every device that a device with its chip stands in for.
void add_same_chip_folds(const GpuPool& pool, const DeviceCatalog& catalog, FamilyFit& family);

// What the errors of all those folds exceed the fits' own by: a further standard deviation of
// ln(time), common to all kernels of a device. A set of one fit, "gpu.same_chip". Also puts the sd
// into the folds. Throws Error (internal) if there is no such fold.
ParameterSet between_boards(std::vector<FamilyFit>& families);

}  // namespace paceline
