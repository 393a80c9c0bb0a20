// The flags that describe a machine or cluster by itself: --device, --gpus, --gpus-per-node,
// --intra, --net, --cluster, --topo and --set transport=..., shared by collective and transfer.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "model/hardware/machine_spec.h"

namespace paceline {

std::vector<FlagSpec> cluster_flags();

struct ClusterChoice {
  ClusterSpec cluster;
  int ranks = 0;           // --gpus, or all devices of the cluster
  std::string generation;  // of NCCL's tables
  int connections = 1;     // network connections that carry one machine's data
};

// Throws UsageError on flags that exclude each other or are missing, InputError on files.
ClusterChoice read_cluster_choice(const Arguments& arguments);

}  // namespace paceline
