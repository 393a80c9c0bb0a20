// Reads the JSON of nvbandwidth (github.com/NVIDIA/nvbandwidth, option -j).
#pragma once

#include <string>
#include <string_view>

#include "traces/measurement/measurement.h"

namespace paceline {

// One measurement per cell of each test's matrix: benchmark "nvbandwidth.<test>", axes `row`,
// `column` and `bytes` (`buffer_bytes`, which the file does not state; 512 MiB unless nvbandwidth
// was told otherwise); the sample is buffer_bytes / rate. A cell "N/A" (a device with itself, or
// peers that cannot reach each other) and a test that did not pass become skipped measurements with
// that reason. Throws InputError with the path on anything else.
MeasurementSet import_nvbandwidth(std::string_view text, const std::string& name,
                                  double buffer_bytes);

}  // namespace paceline
