// Fits the measurements of one GPU that its owner took (`paceline measure --device cuda`): what
// `paceline calibrate` does with them. The result has one fit for each kernel family of
// gpu_family.h, as the files in calibration/fitted/gpu/, so a prediction can use it in their place.
#pragma once

#include "calibration/calibrate.h"
#include "model/hardware/device_catalog.h"

namespace paceline {

// Of convolutions only what a library's heuristic chooses counts, which is what frameworks run, and
// of attention PyTorch's own where it was timed, else cuDNN's; the rest is kept in the measurements
// for those who want to know. `options.device` is
// ignored: the measurements name it. Throws InputError if the catalog lacks the device, or if
// nothing can be fitted.
CalibrationResult calibrate_gpu(const MeasurementSet& measurements,
                                const CalibrateOptions& options);

// The kernels of a set that are fitted, each with the axis "timing".
MeasurementSet fitted_gpu_kernels(const MeasurementSet& measurements);

}  // namespace paceline
