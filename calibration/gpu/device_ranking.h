// Whether the faster of two devices is told: Kendall's tau over pairs of devices that were timed on
// one shape. A device left out alone is predicted from a pool that holds its rival but not itself,
// and the rival from one that holds the device: what is particular to each moves the two
// predictions apart the wrong way, so that devices that do not differ on average are told wrongly
// more often than by tossing a coin. Of two devices that nobody measured, both come from one pool:
// pairs are therefore also left out together.
#pragma once

#include <string>
#include <vector>

#include "calibration/gpu/gpu_pool.h"
#include "calibration/gpu/gpu_score.h"
#include "model/hardware/device_catalog.h"
#include "model/parameters/fold_residuals.h"

namespace paceline {

// Two devices' timings of one shape.
struct DevicePair {
  double log_measured = 0;  // ln(time of one / time of the other)
  double log_predicted = 0;
};

// Pairs among the folds of one way of predicting; a collection may time a shape twice, which counts
// once.
std::vector<DevicePair> pairs_of_folds(const std::vector<GpuFold>& folds, std::string_view split);
// Each pair of devices predicted from the others.
std::vector<DevicePair> pairs_left_out(const GpuPool& pool, const DeviceCatalog& catalog);

// Equal times have no order and are left aside.
DeviceRanking ranking_of(const std::string& family, std::string_view split,
                         const std::vector<DevicePair>& pairs);

}  // namespace paceline
