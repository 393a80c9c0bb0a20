// collective --algorithm of no library: halving-doubling, hierarchical, parameter-server, ..., run
// message by message on the machine's links (simulator/fabric/message_collective.h).
#pragma once

#include "cli/cluster_flags.h"
#include "model/collective/collective_model.h"

namespace paceline {

// Whether --algorithm names an algorithm of simulator/collectives that NCCL does not have. Throws
// UsageError with the nearest names if neither knows it.
bool is_by_messages(const Arguments& arguments);

// Throws UsageError on flags that only mean something for a library: --library, --protocol,
// --parameters, --set connections; and on --servers of an algorithm that has none.
CollectiveCost cost_by_messages(const Arguments& arguments, const CollectiveCall& call,
                                const ClusterChoice& choice, int jobs);

}  // namespace paceline
