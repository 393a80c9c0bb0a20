// Measured against fitted times as a picture: one dot per shape on logarithmic axes, the diagonal
// where they are equal, and a band of 10 % around it. Held-out shapes are hollow.
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/kernel_fit.h"

namespace paceline {

// A complete SVG document. `samples` must not be empty.
std::string residual_plot(const std::string& title, const std::vector<FittedSample>& samples);

}  // namespace paceline
