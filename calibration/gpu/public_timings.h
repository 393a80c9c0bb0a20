// Published kernel timings as measurements. The formats of the collections (tables, a spreadsheet,
// JSON) are read by calibration/public/import_gpu_kernels.py, which this runs with python3.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "traces/measurement/measurement.h"

namespace paceline {

struct PublicTimings {
  std::string name;  // of the collection's folder
  // The provenance holds the hash of each file that was read as a library, and the licence in the
  // environment.
  MeasurementSet timings;
};

// The collections `names`, folders below `folder`. Throws InputError if one is missing or does not
// hold what it should, and if python3 cannot be run.
std::vector<PublicTimings> import_public_timings(const std::filesystem::path& folder,
                                                 const std::vector<std::string>& names);

}  // namespace paceline
