// The folds of all families as they are published, with what needs several devices: the nearest
// GPU as a simple model, and whether the faster of two devices is told.
#pragma once

#include <vector>

#include "calibration/gpu/gpu_fit.h"
#include "model/parameters/fold_residuals.h"

namespace paceline {

// The null model of the nearest GPU: its typical distance from its own roofline, on top of the
// roofline of the device in question. Nearest among the measured devices of the family: of the same
// architecture if there is one, then by peak and bandwidth. Fills in `log_nearest`; a device that
// is alone has none.
void add_nearest(const std::map<std::string, std::vector<Observation>>& measured,
                 const DeviceCatalog& catalog, FamilyFit& family);

// Provenance and sources are left to the caller.
FoldResidualFile published_folds(const std::vector<FamilyFit>& families);

}  // namespace paceline
