// Traces that paceline writes of a job of several devices know a rank's work between gradients
// only: from a layer with weights to the next one forward, from one final gradient to the next
// backward. For a comparison the prediction is cut in the same way.
#pragma once

#include <cstddef>
#include <vector>

#include "model/plan/iteration_plan.h"
#include "validation/trace/trace_comparison.h"

namespace paceline {

// Takes rows without a counterpart out and gives the others the predicted times of their spans
// (compute_profile); returns how many went. Does nothing unless the counterparts are those of
// exactly the layers that have gradients in `plan`.
std::size_t join_layers_of_job(const IterationPlan& plan, std::vector<ComparedLayer>& rows);

}  // namespace paceline
