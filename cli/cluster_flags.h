// The flags that describe a machine or cluster by itself: --device, --gpus, --gpus-per-node,
// --intra, --net, --cluster, --topo and --set transport=..., shared by collective and transfer.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "model/hardware/cluster_request.h"

namespace paceline {

std::vector<FlagSpec> cluster_flags();

// Throws UsageError on flags that exclude each other or are missing, InputError on files.
ClusterChoice read_cluster_choice(const Arguments& arguments);

}  // namespace paceline
