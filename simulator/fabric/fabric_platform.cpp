#include "simulator/fabric/fabric_platform.h"

#include <algorithm>
#include <limits>

#include "core/error.h"

namespace paceline {
namespace {

// Adds `weight` on `resource`, merging repeated uses: a route names each resource once.
void add_use(std::vector<RouteUse>& uses, ResourceId resource, double weight) {
  for (RouteUse& use : uses) {
    if (use.resource != resource) continue;
    use.weight += weight;
    return;
  }
  uses.push_back({resource, weight});
}

// The same for the uses of many ways at once.
class UseSum {
 public:
  void add(const std::vector<RouteUse>& uses) {
    for (const RouteUse& use : uses) {
      const auto [at, is_new] = index_.try_emplace(use.resource, sum_.size());
      if (is_new) sum_.push_back({use.resource, 0});
      sum_[at->second].weight += use.weight;
    }
  }
  std::vector<RouteUse> take() { return std::move(sum_); }

 private:
  std::vector<RouteUse> sum_;
  std::map<ResourceId, std::size_t> index_;
};

}  // namespace

FabricPlatform::FabricPlatform(Platform& platform, const ClusterSpec& cluster,
                               const StagingModel& staging, int simulated_machines)
    : platform_(&platform),
      cluster_(&cluster),
      simulated_(simulated_machines == 0 ? cluster.machines : simulated_machines),
      paths_(cluster.machine, staging),
      devices_(cluster.machine.of_kind(NodeKind::kDevice)),
      cards_(cluster.machine.of_kind(NodeKind::kNic)) {
  PACELINE_ASSERT(simulated_ >= 1 && simulated_ <= cluster.machines, "machines of the cluster");
  const MachineSpec& machine = cluster.machine;
  for (int m = 0; m < simulated_; ++m) {
    const std::string group = "machine" + std::to_string(m) + "/";
    std::vector<ResourceId>& links = links_.emplace_back();
    for (const MachineLink& link : machine.links) {
      const std::string& a = machine.nodes[link.a].name;
      const std::string& b = machine.nodes[link.b].name;
      links.push_back(platform.add_link(group + b + " -> " + a, link.link.achieved));
      links.push_back(platform.add_link(group + a + " -> " + b, link.link.achieved));
    }
    std::vector<ResourceId>& cables = cables_.emplace_back();
    for (std::size_t card = 0; cluster.network && card < cards_.size(); ++card) {
      const std::string name = group + machine.nodes[cards_[card]].name;
      cables.push_back(platform.add_link(name + " in", cluster.network->achieved));
      cables.push_back(platform.add_link(name + " out", cluster.network->achieved));
    }
  }
}

ResourceId FabricPlatform::link(int machine, const DirectedLink& link) const {
  return links_.at(player(machine)).at(2 * link.link + (link.forward ? 1 : 0));
}

void FabricPlatform::add_path(const MachinePath& path, int machine, std::vector<RouteUse>& uses,
                              Seconds& latency, BytesPerSecond& rate) const {
  for (const PathHop& hop : path.hops) add_use(uses, link(machine, hop.link), hop.weight);
  latency += path.latency;
  rate = std::min(rate, path.rate);
}

void FabricPlatform::add_cable(int machine, std::size_t card, bool out, std::vector<RouteUse>& uses,
                               BytesPerSecond& rate) const {
  const auto index = static_cast<std::size_t>(std::ranges::find(cards_, card) - cards_.begin());
  add_use(uses, cables_.at(player(machine)).at(2 * index + (out ? 1 : 0)), 1);
  rate = std::min(rate, cluster_->network->achieved);
  if (cluster_->network->per_flow) rate = std::min(rate, *cluster_->network->per_flow);
}

std::vector<RouteUse> FabricPlatform::uses_between(int from, int to, Seconds& latency,
                                                   BytesPerSecond& rate) const {
  const int size = static_cast<int>(devices_.size());
  const int ranks = size * cluster_->machines;
  PACELINE_ASSERT(from < ranks && to < ranks && from != to, "ranks of the cluster");
  std::vector<RouteUse> uses;
  const auto device = [&](int rank) { return devices_[static_cast<std::size_t>(rank % size)]; };
  const std::vector<std::size_t> switches = cluster_->machine.of_kind(NodeKind::kNvswitch);
  const bool inside_switch = cluster_->machines == 1 && !switches.empty();
  if (from != kSwitchRank && to != kSwitchRank && from / size == to / size) {
    add_path(paths_.between(device(from), device(to)), from / size, uses, latency, rate);
    return uses;
  }
  if (from != kSwitchRank) {
    const std::size_t end = inside_switch ? switches.front() : paths_.nic_of(device(from));
    add_path(paths_.between(device(from), end), from / size, uses, latency, rate);
    if (!inside_switch) add_cable(from / size, end, true, uses, rate);
  }
  if (to != kSwitchRank) {
    const std::size_t end = inside_switch ? switches.front() : paths_.nic_of(device(to));
    if (!inside_switch) add_cable(to / size, end, false, uses, rate);
    add_path(paths_.between(end, device(to)), to / size, uses, latency, rate);
  }
  if (!inside_switch) latency += cluster_->network->latency;
  return uses;
}

RouteId FabricPlatform::route(int from, int to, int channels) {
  const auto key = std::tuple(from, to, channels);
  if (const auto known = routes_.find(key); known != routes_.end()) return known->second;
  Route route;
  route.name = std::to_string(from) + " -> " + std::to_string(to);
  BytesPerSecond rate(std::numeric_limits<double>::infinity());
  route.uses = uses_between(from, to, route.latency, rate);
  route.rate_cap = rate / static_cast<double>(channels);
  return routes_[key] = platform_->add_route(std::move(route));
}

RouteId FabricPlatform::host_route(int machine, int rank, bool to_host) {
  const auto key = std::tuple(machine, rank, to_host);
  if (const auto known = host_routes_.find(key); known != host_routes_.end()) return known->second;
  const int size = static_cast<int>(devices_.size());
  const int own = rank / size;
  const std::size_t device = devices_.at(static_cast<std::size_t>(rank % size));
  Route route;
  route.name =
      std::to_string(rank) + (to_host ? " -> " : " <- ") + "host" + std::to_string(machine);
  BytesPerSecond rate(std::numeric_limits<double>::infinity());
  const auto add = [&](int at, const MachinePath& path) {
    add_path(path, at, route.uses, route.latency, rate);
  };
  if (own == machine) {
    add(own, to_host ? paths_.to_host(device) : paths_.from_host(device));
  } else {
    const std::size_t card = paths_.nic_of(device);
    add(own, to_host ? paths_.between(device, card) : paths_.between(card, device));
    add_cable(own, card, to_host, route.uses, rate);
    add_cable(machine, card, !to_host, route.uses, rate);
    add(machine, to_host ? paths_.to_host(card) : paths_.from_host(card));
    route.latency += cluster_->network->latency;
  }
  route.rate_cap = rate;
  return host_routes_[key] = platform_->add_route(std::move(route));
}

RouteId FabricPlatform::joint_route(std::span<const std::pair<int, int>> pairs, int channels) {
  PACELINE_ASSERT(!pairs.empty(), "a joint route has pairs");
  const std::pair key(channels, std::vector<std::pair<int, int>>(pairs.begin(), pairs.end()));
  if (const auto known = joint_routes_.find(key); known != joint_routes_.end()) {
    return known->second;
  }
  Route route;
  route.name = std::to_string(pairs.front().first) + " -> " + std::to_string(pairs.front().second) +
               " and " + std::to_string(pairs.size() - 1) + " more";
  BytesPerSecond rate(std::numeric_limits<double>::infinity());
  UseSum uses;
  for (const auto& [from, to] : pairs) {
    Seconds latency;
    uses.add(uses_between(from, to, latency, rate));
    route.latency = std::max(route.latency, latency);
  }
  route.uses = uses.take();
  route.rate_cap = rate / static_cast<double>(channels);
  return joint_routes_[key] = platform_->add_route(std::move(route));
}

std::vector<RouteUse> FabricPlatform::ring_uses(const CollectiveGroup& group) const {
  const int size = static_cast<int>(devices_.size());
  UseSum uses;
  // Machines that play others have the links of all: their own part of the ring is enough.
  for (int machine = 0; machine < std::min(group.machines, simulated_); ++machine) {
    for (int device = 0; device < group.per_machine; ++device) {
      const bool last = device + 1 == group.per_machine;
      const int from = machine * size + device;
      const int to =
          (last ? (machine + 1) % group.machines : machine) * size + (last ? 0 : device + 1);
      Seconds latency;
      BytesPerSecond rate(std::numeric_limits<double>::infinity());
      uses.add(uses_between(from, to, latency, rate));
    }
  }
  return uses.take();
}

// A collective never takes more of a link than the link has: the measured rate can exceed what one
// ring over static paths shows (several rings, reduction in the switch).
RouteId FabricPlatform::ring_route(const CollectiveGroup& group, BytesPerSecond rate) {
  Route route;
  route.name = "ring of " + std::to_string(group.ranks());
  route.uses = ring_uses(group);
  for (RouteUse& use : route.uses) {
    use.weight = std::min(platform_->resource(use.resource).capacity, use.weight * rate.si());
  }
  return platform_->add_route(std::move(route));
}

Route FabricPlatform::path_route(int machine, const MachinePath& path) const {
  Route route;
  Seconds latency;
  BytesPerSecond rate(std::numeric_limits<double>::infinity());
  add_path(path, machine, route.uses, latency, rate);
  return route;
}

Route FabricPlatform::ring_transfer(const CollectiveGroup& group, BytesPerSecond rate) const {
  Route route;
  route.name = "ring of " + std::to_string(group.ranks());
  route.rate_cap = rate;
  route.uses = ring_uses(group);
  for (RouteUse& use : route.uses) {
    use.weight = std::min(use.weight, platform_->resource(use.resource).capacity / rate.si());
  }
  return route;
}

}  // namespace paceline
