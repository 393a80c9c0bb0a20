#include "answers/compare/sweep_networks.h"

#include <algorithm>
#include <limits>

#include "simulator/report/job_cluster.h"

namespace paceline {

SweepNetworks::Network& SweepNetworks::network_of(const ClusterRequest& request) {
  ClusterRequest shape = request;
  shape.gpus.reset();
  if (request.gpus && !request.gpus_per_node) shape.gpus_per_node = request.gpus;
  const std::string key = to_text(shape);
  Network* network = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Network>& known = networks_[key];
    if (known == nullptr) known = std::make_unique<Network>();
    network = known.get();
  }
  std::call_once(network->once, [&] { describe(request, *network); });
  return *network;
}

void SweepNetworks::describe(const ClusterRequest& request, Network& network) const {
  network.choice = choose_cluster(request, catalogs_);
  ClusterSpec& cluster = network.choice.cluster;
  network.inside = static_cast<int>(cluster.machine.device_count());
  cluster.machines = std::numeric_limits<int>::max() / network.inside;
  network.communicator = std::make_unique<Communicator>(models_, cluster, network.choice.generation,
                                                        network.choice.connections);
}

std::optional<SweepCollectives> SweepNetworks::collectives(const ClusterRequest& request,
                                                           int devices,
                                                           const std::vector<Bytes>& messages,
                                                           const std::string& library) {
  const Network& network = network_of(request);
  const int inside = network.inside;
  if (devices < 2 || (devices > inside && devices % inside != 0)) return std::nullopt;
  CollectiveCall call;
  call.library = library;
  call.group = {std::max(1, devices / inside), std::min(devices, inside)};
  if (call.group.machines > 1 && !network.choice.cluster.network) return std::nullopt;
  const FabricGroup fabric = network.communicator->fabric(call.group);
  SweepCollectives out;
  out.costs.reserve(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto same = static_cast<std::size_t>(
        std::find(messages.begin(), messages.end(), messages[i]) - messages.begin());
    if (same < i) {
      out.costs.push_back(out.costs[same]);
      continue;
    }
    call.bytes = messages[i];
    out.costs.push_back(models_.collectives.cost(call, fabric));
  }
  const bool in_switch = std::ranges::any_of(out.costs, reduces_in_switch);
  out.buffers = network.communicator->buffers(fabric, in_switch);
  return out;
}

}  // namespace paceline
