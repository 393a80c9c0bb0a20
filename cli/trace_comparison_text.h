// How `paceline explain --against TRACE` shows a measured timeline beside the prediction.
#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "simulator/report/prediction.h"

namespace paceline {

// The traces of all ranks, in any format that can be imported; their warnings go to stderr. The
// `count` layers with the largest difference; JSON has all of them, under "against" in the report.
std::string comparison_text(const Prediction& prediction, const std::vector<std::string>& traces,
                            OutputFormat format, std::size_t count);

}  // namespace paceline
