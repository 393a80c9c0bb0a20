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

}  // namespace

FabricPlatform::FabricPlatform(Platform& platform, const ClusterSpec& cluster,
                               const StagingModel& staging)
    : platform_(&platform),
      cluster_(&cluster),
      paths_(cluster.machine, staging),
      devices_(cluster.machine.of_kind(NodeKind::kDevice)),
      cards_(cluster.machine.of_kind(NodeKind::kNic)) {
  const MachineSpec& machine = cluster.machine;
  for (int m = 0; m < cluster.machines; ++m) {
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
  return links_.at(static_cast<std::size_t>(machine)).at(2 * link.link + (link.forward ? 1 : 0));
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
  add_use(uses, cables_.at(static_cast<std::size_t>(machine)).at(2 * index + (out ? 1 : 0)), 1);
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

RouteId FabricPlatform::ring_route(const CollectiveGroup& group, BytesPerSecond rate) {
  const int size = static_cast<int>(devices_.size());
  std::vector<int> ring;
  for (int machine = 0; machine < group.machines; ++machine) {
    for (int device = 0; device < group.per_machine; ++device) {
      ring.push_back(machine * size + device);
    }
  }
  Route route;
  route.name = "ring of " + std::to_string(ring.size());
  std::vector<RouteUse> uses;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    Seconds latency;
    BytesPerSecond path_rate(std::numeric_limits<double>::infinity());
    for (const RouteUse& use :
         uses_between(ring[i], ring[(i + 1) % ring.size()], latency, path_rate)) {
      add_use(uses, use.resource, use.weight);
    }
  }
  // What the task takes of each link at full speed, never more than the link has: the measured rate
  // of a collective can exceed what one ring over static paths shows (several rings).
  for (RouteUse& use : uses) {
    const double capacity = platform_->resource(use.resource).capacity;
    use.weight = std::min(capacity, use.weight * rate.si());
  }
  route.uses = std::move(uses);
  return platform_->add_route(std::move(route));
}

}  // namespace paceline
