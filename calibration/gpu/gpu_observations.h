// Public timings of GPU kernels, sorted by kernel family and device.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "calibration/fit/formula_residuals.h"
#include "calibration/gpu/gpu_priors.h"
#include "model/hardware/device_catalog.h"
#include "traces/measurement/measurement.h"

namespace paceline {

struct GpuObservation {
  Observation observation;
  Timing timing = Timing::kDevice;
};
// By family, then by device.
using GpuObservations = std::map<std::string, std::map<std::string, std::vector<GpuObservation>>>;

// Sorts measurements with an axis "device" and an axis "timing" by family and device. `catalog`
// must outlive the result. Throws InputError for an unknown device, timing or incomplete shape.
void add_observations(const MeasurementSet& set, const DeviceCatalog& catalog,
                      GpuObservations& out);

// kDevice if any of them is: calls then only help where dispatch is negligible.
Timing timing_of(const std::vector<GpuObservation>& observations);

// Those that say something about the device rather than about the host's dispatch, at most `most`
// of them, evenly chosen.
std::vector<Observation> usable(const std::vector<GpuObservation>& all, std::size_t most);

// The largest share of its data-sheet peak that a device was seen to reach: all that is known of
// devices without timings by shape.
struct AchievedShare {
  std::string device;
  std::string family;
  double share = 0;
};
// Reads "paceline.achieved-shares/1". Throws InputError for an unknown device or family.
std::vector<AchievedShare> read_achieved_shares(const std::filesystem::path& file,
                                                const DeviceCatalog& catalog);

}  // namespace paceline
