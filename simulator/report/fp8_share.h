// How much of the arithmetic runs in fp8 when that is asked for: products of some linear layers
// alone do (gpu::Issuer::runs_in_fp8), all others in bf16.
#pragma once

#include <optional>
#include <string>

#include "model/plan/experiment.h"
#include "model/plan/iteration_plan.h"

namespace paceline {

// Of the floating-point operations of an iteration; 0 if it has none.
double share_in_fp8(const IterationPlan& plan);

// A warning where it is less than half. Throws UsageError where it is nothing: the precision would
// be that of bf16 without saying so. Nothing of other precisions.
std::optional<std::string> fp8_remark(const Experiment& experiment, const IterationPlan& plan);

}  // namespace paceline
