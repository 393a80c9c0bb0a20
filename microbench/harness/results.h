// The result of one case of a design in the set that a run fills.
#pragma once

#include <string>

#include "traces/measurement/measurement.h"

namespace paceline {

// That of the benchmark at these axes; a new one if the set has none yet.
Measurement& result_of(const std::string& benchmark, const Axes& axes, MeasurementSet& set);

// A result with rounds keeps them; only one without any is skipped.
void record_skipped(const std::string& benchmark, const Axes& axes, const std::string& reason,
                    MeasurementSet& set);

}  // namespace paceline
