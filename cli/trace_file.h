// The simulated iteration as a file for Perfetto.
#pragma once

#include <filesystem>

#include "model/plan/iteration_plan.h"

namespace paceline {

// Two iterations, so that the steady state shows. Throws InputError if `file` cannot be written.
void write_trace(const IterationPlan& plan, const std::filesystem::path& file);

}  // namespace paceline
