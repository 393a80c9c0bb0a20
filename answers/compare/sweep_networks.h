// What all-reduces cost on the clusters of a large sweep: each kind of machine on each network is
// described once and grown to the number of machines that a point asks for.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "model/collective/collective_model.h"
#include "model/hardware/cluster_request.h"
#include "simulator/job/communicator.h"

namespace paceline {

struct SweepCollectives {
  std::vector<CollectiveCost> costs;  // by message
  LibraryBuffers buffers;             // of a communicator of NCCL that runs them
};

class SweepNetworks {
 public:
  // Of messages of these sizes on the cluster of `request`, over `devices` devices; nothing where
  // they are not one device or whole machines of it. From any thread. Throws UsageError.
  std::optional<SweepCollectives> collectives(const ClusterRequest& request, int devices,
                                              const std::vector<Bytes>& messages,
                                              const std::string& library);

 private:
  struct Network {
    std::once_flag once;
    ClusterChoice choice;  // of any number of machines
    int inside = 0;        // devices of one
    std::unique_ptr<Communicator> communicator;
  };
  Network& network_of(const ClusterRequest& request);
  void describe(const ClusterRequest& request, Network& network) const;

  CommunicationModels models_;
  ClusterCatalogs catalogs_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Network>> networks_;
};

}  // namespace paceline
