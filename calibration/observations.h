// What a fit needs of a measurement file: kernels with their times and noise, grouped by likeness.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/fit/formula_residuals.h"
#include "traces/measurement/measurement.h"

namespace paceline {

// All measured results of `benchmark` that describe a kernel and have an accepted round. The noise
// of a result is half the spread of its rounds; a result with a single round gets the spread that
// nine in ten results of the file stay below. The axis "cache" says whether operands were used just
// before ("warm") or not for longer than any cache remembers ("cold").
std::vector<Observation> observations_of(const MeasurementSet& set, const std::string& benchmark);

// Names of the measured benchmarks, sorted, each once.
std::vector<std::string> measured_benchmarks(const MeasurementSet& set);

// Shapes of one group are alike enough to share an error: for products the layout, the size class
// and whether they are thin; for convolutions taps, stride and image width; else the size class;
// always the thread count.
std::string group_of(const Kernel& kernel, const ExecutionContext& context);

}  // namespace paceline
