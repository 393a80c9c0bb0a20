#include "answers/compare/sweep_networks.h"

#include <algorithm>

#include "simulator/report/job_cluster.h"

namespace paceline {

SweepNetworks::Network& SweepNetworks::network_of(const ClusterRequest& request) {
  ClusterRequest shape = request;
  shape.gpus.reset();
  if (request.gpus && !request.gpus_per_node) shape.gpus_per_node = request.gpus;
  const std::string key = to_text(shape);
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Network>& known = networks_[key];
  if (known == nullptr) {
    auto made = std::make_unique<Network>();
    made->choice = choose_cluster(request, catalogs_);
    made->communicator = std::make_unique<Communicator>(
        models_, made->choice.cluster, made->choice.generation, made->choice.connections);
    known = std::move(made);
  }
  return *known;
}

std::optional<SweepCollectives> SweepNetworks::collectives(const ClusterRequest& request,
                                                           int devices,
                                                           const std::vector<Bytes>& messages,
                                                           const std::string& library) {
  Network& network = network_of(request);
  const std::lock_guard lock(network.mutex);
  ClusterSpec& cluster = network.choice.cluster;
  const int inside = static_cast<int>(cluster.machine.device_count());
  if (devices < 2 || (devices > inside && devices % inside != 0)) return std::nullopt;
  const CollectiveGroup group{std::max(1, devices / inside), std::min(devices, inside)};
  if (group.machines > 1 && !cluster.network) return std::nullopt;
  cluster.machines = std::max(cluster.machines, group.machines);
  Communicator& communicator = *network.communicator;
  SweepCollectives out;
  for (const Bytes message : messages) {
    out.costs.push_back(&communicator.cost(CollectiveOp::kAllReduce, message, group, library));
  }
  const bool in_switch = std::ranges::any_of(
      out.costs, [](const CollectiveCost* cost) { return reduces_in_switch(*cost); });
  out.buffers = communicator.buffers({group, in_switch});
  return out;
}

}  // namespace paceline
