#include "model/collective/fabric_group.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "model/collective/connection_limit.h"

namespace paceline {
namespace {

// "12xnvlink3" -> "nvlink3"; PCIe by generation: its width is in the rate.
std::string class_of(const LinkSpec& link) {
  const std::string& name =
      link.lane.empty() || link.kind == LinkKind::kNvswitch ? link.name : link.lane;
  if (link.kind == LinkKind::kPcie) return name.substr(0, name.find('-'));
  return name;
}

// The links that join the ranks of a machine. Devices of a mesh of NVLinks are a class by
// generation and topology.
std::string inner_class(const MachineSpec& machine, const RingBandwidth& ring,
                        std::span<const std::size_t> devices) {
  const bool meshed = ring.path == PathKind::kNvlink;
  for (const MachineLink& link : machine.links) {
    const bool touches = std::ranges::find(devices, link.a) != devices.end() ||
                         std::ranges::find(devices, link.b) != devices.end();
    if (!touches) continue;
    const bool wanted = ring.path == PathKind::kNvswitch ? link.link.kind == LinkKind::kNvswitch
                        : meshed                         ? link.link.kind == LinkKind::kNvlink
                                                         : link.link.kind == LinkKind::kPcie;
    if (!wanted) continue;
    return meshed ? class_of(link.link) + "-mesh" : class_of(link.link);
  }
  return "unknown";
}

// How far data sheets lie above what links like those of the ring achieve.
double headroom(const MachineSpec& machine, PathKind path) {
  double most = 1;
  for (const MachineLink& link : machine.links) {
    const LinkKind kind = link.link.kind;
    const bool peer = kind == LinkKind::kNvlink || kind == LinkKind::kNvswitch;
    const bool by_peers = path == PathKind::kNvlink || path == PathKind::kNvswitch;
    if (peer != by_peers) continue;
    most = std::max(most, link.link.data_sheet / link.link.achieved);
  }
  return most;
}

// All network cards that the group uses in one machine, one direction.
struct Cards {
  BytesPerSecond rate;  // no faster than the connections
  BytesPerSecond data_sheet;
  int connections = 0;
  std::string limit;  // in words
  std::string remedy;
};

Cards cards_of(const ClusterSpec& cluster, const MachinePaths& paths,
               std::span<const std::size_t> devices, int per_card, int connections) {
  const LinkSpec& network = *cluster.network;
  std::vector<std::size_t> cards;
  for (const std::size_t device : devices) {
    const std::size_t card = paths.nic_of(device);
    if (std::ranges::find(cards, card) == cards.end()) cards.push_back(card);
  }
  Cards out;
  const auto count = static_cast<double>(cards.size());
  out.rate = network.achieved * count;
  out.data_sheet = network.data_sheet * count;
  out.connections = connections == 0 ? per_card * static_cast<int>(cards.size()) : connections;
  out.limit = "network cards of each machine (" + network.name + ")";
  if (!network.per_flow) return out;
  const BytesPerSecond flows = *network.per_flow * static_cast<double>(out.connections);
  if (flows >= out.rate) return out;
  out.rate = flows;
  out.limit = connection_limit(out.connections, network);
  out.remedy = connection_remedy(out.connections, network, network.achieved * count);
  return out;
}

// What latencies that were typed add to the way between two neighbours.
Seconds extra_latency(const MachineSpec& machine, const MachinePaths& paths,
                      std::span<const std::size_t> devices) {
  Seconds extra;
  for (const PathHop& hop : paths.between(devices[0], devices[1]).hops) {
    extra += machine.links[hop.link.link].link.extra_latency;
  }
  return extra;
}

// Machines with more devices are switched; every pair of paths takes long to look at.
constexpr std::size_t kMostSearched = 64;

// Bus rate of an exchange between all devices of a machine: the link that most pairs cross limits
// it. With n devices a byte of volume is 1 / (n - 1) bytes for each other device.
BytesPerSecond exchange_rate(const MachineSpec& machine, const MachinePaths& paths,
                             std::span<const std::size_t> devices) {
  std::map<std::pair<std::size_t, bool>, double> loads;  // bytes per byte of volume
  const double share = 1.0 / static_cast<double>(devices.size() - 1);
  for (const std::size_t from : devices) {
    for (const std::size_t to : devices) {
      if (from == to) continue;
      for (const PathHop& hop : paths.between(from, to).hops) {
        loads[{hop.link.link, hop.link.forward}] += share * hop.weight;
      }
    }
  }
  double slowest = 0;  // seconds per byte
  for (const auto& [key, load] : loads) {
    slowest = std::max(slowest, load / machine.links[key.first].link.achieved.si());
  }
  return BytesPerSecond(1 / slowest);
}

// Of the device with most of them, as FabricGroup says.
int direct_neighbours(const MachinePaths& paths, std::span<const std::size_t> devices,
                      bool nvlink) {
  const std::size_t ranks = devices.size();
  const int neighbours = static_cast<int>(std::min<std::size_t>(2, ranks - 1));
  if (nvlink || neighbours == 0) return neighbours;
  const auto direct = [&](std::size_t a, std::size_t b) {
    return paths.between(devices[a % ranks], devices[b % ranks]).kind != PathKind::kStaged;
  };
  int most = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    int count = direct(rank, rank + 1) ? 1 : 0;
    if (neighbours == 2 && direct(rank, rank + ranks - 1)) ++count;
    most = std::max(most, count);
  }
  return most;
}

// Each of m ranks of a machine sends (n - m) / (n - 1) of its volume through the cards.
BytesPerSecond exchange_rate_of(const FabricGroup& fabric) {
  const CollectiveGroup& group = fabric.group;
  if (group.machines == 1) return fabric.inner_exchange_rate;
  const double outside = group.per_machine *
                         static_cast<double>(group.ranks() - group.per_machine) /
                         static_cast<double>(group.ranks() - 1);
  const BytesPerSecond through_cards = fabric.network_rate / outside;
  return group.per_machine == 1 ? through_cards
                                : std::min(fabric.inner_exchange_rate, through_cards);
}

// The network's name, with the transport if it is not the link's usual one: its times differ.
std::string network_class(const LinkSpec& network) {
  const std::string& name = network.behaves_as.empty() ? network.name : network.behaves_as;
  const bool usual =
      network.transports.empty() || network.transport == network.transports.front().name;
  return usual ? name : name + "-" + network.transport;
}

}  // namespace

BytesPerSecond bus_rate_of(CollectiveOp op, const FabricGroup& fabric) {
  return op == CollectiveOp::kAllToAll ? fabric.exchange_rate : fabric.bus_rate;
}

CollectiveGroup group_of(const ClusterSpec& cluster, int ranks) {
  const int per_machine = static_cast<int>(cluster.machine.device_count());
  if (ranks < 1) throw UsageError("expected at least 1 rank, found " + std::to_string(ranks));
  if (ranks > cluster.device_count()) {
    throw InputError("machine " + cluster.name + " has " + std::to_string(cluster.device_count()) +
                     " devices, fewer than " + std::to_string(ranks));
  }
  if (ranks <= per_machine) return {1, ranks};
  if (ranks % per_machine != 0) {
    throw UsageError(std::to_string(ranks) + " ranks do not fill machines of " +
                     std::to_string(per_machine) + " devices");
  }
  return {ranks / per_machine, per_machine};
}

FabricGroup fabric_group(const ClusterSpec& cluster, const CollectiveGroup& group,
                         const StagingModel& staging, const NcclTuning& tuning,
                         const std::string& generation, int connections) {
  std::vector<std::size_t> devices = cluster.machine.of_kind(NodeKind::kDevice);
  if (group.machines > cluster.machines || group.per_machine > static_cast<int>(devices.size())) {
    throw UsageError("machine " + cluster.name + " is smaller than the group: it has " +
                     std::to_string(cluster.device_count()) + " devices");
  }
  devices.resize(static_cast<std::size_t>(group.per_machine));
  const MachinePaths paths(cluster.machine, staging);
  FabricGroup out;
  out.group = group;
  std::string lane;
  double rings = 1;
  bool nvswitch = false;
  if (group.per_machine > 1) {
    const RingBandwidth ring = ring_bandwidth(cluster.machine, paths, devices);
    out.inner_rate = out.bus_rate = ring.rate;
    out.ceiling = ring.rate * headroom(cluster.machine, ring.path);
    out.inner_latency = ring.latency;
    out.inner_extra = extra_latency(cluster.machine, paths, devices);
    // Switches do not block: the search is only needed where links are shared.
    const bool shared = ring.path != PathKind::kNvswitch && devices.size() <= kMostSearched;
    out.inner_exchange_rate = shared ? exchange_rate(cluster.machine, paths, devices) : ring.rate;
    out.inner_class = out.fabric_class = inner_class(cluster.machine, ring, devices);
    out.bottleneck = ring.limit;
    rings = ring.rings;
    nvswitch = ring.path == PathKind::kNvswitch;
    if (nvswitch || ring.path == PathKind::kNvlink) {
      for (const MachineLink& link : cluster.machine.links) {
        const bool nvlink =
            link.link.kind == LinkKind::kNvlink || link.link.kind == LinkKind::kNvswitch;
        if (nvlink && lane.empty()) lane = link.link.lane.empty() ? link.link.name : link.link.lane;
      }
    }
  }
  if (group.machines > 1) {
    const Cards cards =
        cards_of(cluster, paths, devices, tuning.connections_per_card(), connections);
    out.connections = cards.connections;
    out.network_rate = cards.rate;
    out.ceiling =
        out.bus_rate.si() == 0 ? cards.data_sheet : std::min(out.ceiling, cards.data_sheet);
    out.network_latency = cluster.network->latency;
    out.network_extra = cluster.network->extra_latency;
    out.fabric_class = network_class(*cluster.network);
    if (out.bus_rate.si() == 0 || out.network_rate <= out.bus_rate) {
      out.bus_rate = out.network_rate;
      out.bottleneck = cards.limit;
      out.remedy = cards.remedy;
    }
  }
  out.exchange_rate = exchange_rate_of(out);
  out.graph = tuning.graph(generation, lane, rings, nvswitch, out.inner_rate, out.network_rate);
  out.direct_neighbours = direct_neighbours(paths, devices, out.graph.nvlink);
  return out;
}

FabricGroup on_machines(FabricGroup fabric, int machines) {
  PACELINE_ASSERT(fabric.group.machines > 1 && machines > 1,
                  "a fabric of one machine says nothing of its network");
  fabric.group.machines = machines;
  fabric.exchange_rate = exchange_rate_of(fabric);
  return fabric;
}

}  // namespace paceline
