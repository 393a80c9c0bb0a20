// The simulated iteration as a file for Perfetto.
#pragma once

#include <filesystem>

#include "simulator/report/prediction.h"

namespace paceline {

// Two iterations, so that the steady state shows. Throws InputError if `file` cannot be written.
void write_trace(const Prediction& prediction, const TrainingDevice& device,
                 const std::filesystem::path& file);

}  // namespace paceline
