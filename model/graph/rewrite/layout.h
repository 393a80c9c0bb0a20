// The order in which images lie in memory.
#pragma once

#include "model/graph/workload_graph.h"

namespace paceline {

// Places every image (four dimensions) in the given order; convolutions, normalisations and pooling
// keep it, and a reshape that joins the channels with the places becomes a copy. Shapes do not
// change: dimensions are always named batch, channels, height, width.
WorkloadGraph with_layout(WorkloadGraph graph, ImageLayout layout);

}  // namespace paceline
