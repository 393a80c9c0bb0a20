// A machine or cluster as a user asks for it: built from links, read from a file, or made of a
// topology matrix.
#pragma once

#include <optional>
#include <string>

#include "model/collective/nccl_tuning.h"
#include "model/hardware/device_catalog.h"
#include "model/hardware/link_catalog.h"
#include "model/hardware/machine_spec.h"

namespace paceline {

struct ClusterRequest {
  std::string device;  // catalog name; may be empty
  // Facts of `device`, used where it is not of the catalog; must outlive the request.
  const DeviceSpec* described = nullptr;
  std::optional<int> gpus;
  std::optional<int> gpus_per_node;
  std::optional<std::string> intra;
  bool intra_is_host_link = false;  // `intra` is the link between a device and its host
  std::optional<std::string> net;
  std::optional<std::string> cluster;  // catalog name or file
  std::optional<std::string> topo;     // file with the output of nvidia-smi topo -m
  std::optional<int> nodes;            // machines of `cluster`
  std::string transport;               // of the network; empty: its default
  int connections = 0;                 // over the network per machine; 0: as the library opens
};

struct ClusterChoice {
  ClusterSpec cluster;
  int ranks = 0;               // gpus, or all devices of the cluster
  std::string generation;      // of NCCL's tables
  std::string assumed_tables;  // a warning where nothing tells the generation; else empty
  int connections = 0;         // that carry one machine's data; 0: as many as the library opens
};

// What clusters are made of; read once for many requests.
struct ClusterCatalogs {
  LinkCatalog links = LinkCatalog::shipped();
  DeviceCatalog devices = DeviceCatalog::shipped();
  NcclTuning tuning = NcclTuning::shipped();
};

// Throws UsageError on parts that exclude each other, are missing or would have no effect,
// InputError on files.
ClusterChoice choose_cluster(const ClusterRequest& request, const ClusterCatalogs& catalogs);
// The same with catalogs of its own.
ClusterChoice choose_cluster(const ClusterRequest& request);

}  // namespace paceline
