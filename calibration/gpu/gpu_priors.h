// What is believed of the parameters of a GPU family before any measurement of it: wide, so that
// a few dozen timings overrule them. Sources: docs/models/gpu-gemm.md, section "Priors".
#pragma once

#include <string_view>
#include <vector>

#include "calibration/fit/fit_parameter.h"

namespace paceline {

// How a public timing was taken: of the device alone, or around a framework's call, which contains
// the host's dispatch.
enum class Timing { kDevice, kCall };

// In the order of the family's formula. Throws InputError for an unknown family.
std::vector<FitParameter> gpu_priors(std::string_view family, Timing timing);

}  // namespace paceline
