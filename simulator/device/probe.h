// A few timings of a device, and what they say about the kernels of their families: `--probe FILE`.
//
// ln(measured / predicted) of a timing is  shift + noise,  shift ~ N(0, shared^2) what the
// prediction is off by for the whole family, noise ~ N(0, own^2) of the single shape, both as the
// prediction states them. So n timings give
//
//   1/s^2 = 1/shared^2 + sum 1/own_i^2,    shift = s^2 sum r_i / own_i^2
//
// and the family's prices are multiplied by exp(shift), with s in place of the shared part. Eight
// timings say more of a device than any transfer from others (docs/models/gpu-transfer.md).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/cost/gpu.h"
#include "traces/measurement/measurement.h"

namespace paceline {

// Timings of GPU kernels with the axes of calibration/public; an axis "device" must name this
// device. Those of a framework's call ("timing": "call") count where the call is long enough not to
// be its dispatch. Throws InputError naming `file` and the result if a timing is of another device,
// its shape or precision is none that can run there, it is faster than 1.5 times the data-sheet
// peak (gpu_limits.h), or nothing is left.
std::map<std::string, FamilyRefinement> refinements(const MeasurementSet& timings,
                                                    const GpuCostModel& costs,
                                                    const std::string& file = "probe");

}  // namespace paceline
