// What a prediction says where attention of 16-bit inputs is not the one kernel that it is on newer
// GPUs.
#pragma once

#include <optional>
#include <string>

#include "simulator/report/prediction_setup.h"

namespace paceline {

// Where `auto` chose products and a softmax because the framework's fused kernel (record,
// "fused_attention") does not run on the architecture; nothing without attention.
std::optional<std::string> attention_remark(const PredictionSetup& setup,
                                            const IterationPlan& plan);

}  // namespace paceline
