// Finds iterations, layers and phases in what a profiler recorded.
//
// - An iteration is a range "ProfilerStep#N" (or "iteration N", "step N"); without any, it ends
//   where the last optimizer range of a row ends; without those, everything is one.
// - A layer is a top-level operator of the forward pass, known again in every iteration by its name
//   and how often that name occurred before.
// - The backward pass of a layer is found by the sequence number of autograd, which a node of the
//   backward graph has from the forward operator that made it (PyTorch: "Sequence number").
// - Device work has the iteration, layer and phase of the operator that launched it, found by the
//   correlation number of the runtime call.
#pragma once

#include <vector>

#include "traces/import/trace_events.h"
#include "traces/timeline/measured_timeline.h"

namespace paceline {

// Several ranks go to tracks of their own; layers and iteration times are those of the first.
// Provenance, source and the ranks are left to the caller: `processes` are in order of rank. Throws
// InputError if there is no event.
MeasuredTimeline assemble_trace(std::vector<TraceEvents> processes);

}  // namespace paceline
