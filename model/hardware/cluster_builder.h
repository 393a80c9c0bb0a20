// A cluster from the flags --device, --gpus, --gpus-per-node, --intra and --net.
#pragma once

#include <optional>
#include <string>

#include "model/hardware/machine_spec.h"

namespace paceline {

struct ClusterFlags {
  int gpus = 1;
  std::optional<int> gpus_per_node;  // all of them if not given and there is no network
  std::optional<std::string> intra;  // needed when a machine holds more than one device
  std::optional<std::string> net;    // needed when there are several machines
  std::string device;
  std::string transport;  // of the network; empty: its default
  // What a quantity in `intra` means.
  LinkUse intra_use = LinkUse::kInsideMachine;
};

// What the flags leave open (sockets, PCIe below NVLink) is chosen and listed in `warnings`. Throws
// UsageError if a flag is missing, impossible (0 devices, 9 devices in a cube mesh) or if the
// devices do not fill whole machines, which have at most 256.
ClusterSpec build_cluster(const ClusterFlags& flags, const LinkCatalog& catalog);

}  // namespace paceline
