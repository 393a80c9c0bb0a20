// The flags that describe a machine or cluster by itself: --device, --gpus, --gpus-per-node,
// --intra, --net, --cluster, --topo and --set transport=..., shared by collective, transfer and
// calibrate.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "model/hardware/cluster_request.h"

namespace paceline {

std::vector<FlagSpec> cluster_flags();

// --bytes, from 1 B to 1 EB; a plain number is bytes. Throws UsageError.
Bytes read_size(const Arguments& arguments);
// "1 GiB" rather than "1.07 GB", if that is what was asked for; of a plain number the bytes.
std::string size_as_typed(const Arguments& arguments);

// `host_link`: --intra is the link between a device and its host. Throws UsageError on flags that
// exclude each other, are missing or would have no effect, InputError on files.
ClusterChoice read_cluster_choice(const Arguments& arguments, bool host_link = false);
// Throws UsageError if --set says something about a network that the ranks do not use.
void refuse_unused_settings(const Arguments& arguments, bool over_network);

}  // namespace paceline
