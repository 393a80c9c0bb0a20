#include "simulator/job/machine_fabric.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace paceline {
namespace {

constexpr int kHost = -1;  // in place of a device

}  // namespace

void Way::add(ResourceId resource, double weight) {
  for (RouteUse& use : uses) {
    if (use.resource != resource) continue;
    use.weight += weight;
    return;
  }
  uses.push_back({resource, weight});
}

Way& Way::operator+=(const Way& next) {
  for (const RouteUse& use : next.uses) add(use.resource, use.weight);
  latency += next.latency;
  cap = std::min(cap, next.cap);
  share = std::max(share, next.share);
  return *this;
}

MachineFabric::MachineFabric(Platform& platform, const ClusterSpec& cluster,
                             const StagingModel& staging, const JobPriors& priors,
                             const JobConditions& conditions)
    : platform_(&platform),
      cluster_(&cluster),
      paths_(cluster.machine, staging),
      priors_(priors),
      conditions_(conditions),
      devices_(cluster.machine.of_kind(NodeKind::kDevice)) {
  for (const MachineLink& link : cluster.machine.links) {
    const std::string& a = cluster.machine.nodes[link.a].name;
    const std::string& b = cluster.machine.nodes[link.b].name;
    const std::string kind = " (" + link.link.name + ")";
    links_.push_back(platform.add_link(b + " -> " + a + kind, rate_of(link.link)));
    links_.push_back(platform.add_link(a + " -> " + b + kind, rate_of(link.link)));
  }
  if (!cluster.network) return;
  std::tie(cable_in_, cable_out_) = cable("network card of each machine");
}

BytesPerSecond MachineFabric::rate_of(const LinkSpec& link) const {
  const double sd = link.measured ? priors_.measured_link : priors_.assumed_link;
  return link.achieved / (conditions_.communication * std::exp(conditions_.links * sd));
}

std::pair<ResourceId, ResourceId> MachineFabric::cable(const std::string& name) {
  PACELINE_ASSERT(cluster_->network.has_value(), "a cable needs a network");
  if (const auto known = cables_.find(name); known != cables_.end()) return known->second;
  const std::string text = name + " (" + cluster_->network->name + ")";
  const auto cards = std::max<std::size_t>(1, cluster_->machine.of_kind(NodeKind::kNic).size());
  const BytesPerSecond rate = rate_of(*cluster_->network) * static_cast<double>(cards);
  const ResourceId in = platform_->add_link(text + ", in", rate);
  const ResourceId out = platform_->add_link(text + ", out", rate);
  return cables_[name] = {in, out};
}

template <typename Find>
const Way& MachineFabric::known_way(std::pair<int, int> key, Find find) const {
  if (const auto known = ways_.find(key); known != ways_.end()) return known->second;
  const MachinePath path = find();
  Way way;
  for (const PathHop& hop : path.hops) {
    way.add(links_.at(2 * hop.link.link + (hop.link.forward ? 1 : 0)), hop.weight);
  }
  way.latency = path.latency;
  way.cap = path.cap;
  return ways_[key] = std::move(way);
}

Way MachineFabric::between(int from_device, int to_device) const {
  return known_way({from_device, to_device}, [&] {
    return paths_.between(devices_.at(static_cast<std::size_t>(from_device)),
                          devices_.at(static_cast<std::size_t>(to_device)));
  });
}

Way MachineFabric::to_host(int device) const {
  return known_way({device, kHost},
                   [&] { return paths_.to_host(devices_.at(static_cast<std::size_t>(device))); });
}

Way MachineFabric::from_host(int device) const {
  return known_way({kHost, device},
                   [&] { return paths_.from_host(devices_.at(static_cast<std::size_t>(device))); });
}

Way MachineFabric::to_network() const {
  PACELINE_ASSERT(!isolated(), "the machine has a network");
  Way way;
  way.add(cable_out_, 1);
  way.latency = cluster_->network->latency;
  return way;
}

Way MachineFabric::from_network() const {
  PACELINE_ASSERT(!isolated(), "the machine has a network");
  Way way;
  way.add(cable_in_, 1);
  way.latency = cluster_->network->latency;
  return way;
}

Way MachineFabric::into(const std::string& name, double weight) {
  Way way;
  way.add(cable(name).first, weight);
  return way;
}

Way MachineFabric::out_of(const std::string& name, double weight) {
  Way way;
  way.add(cable(name).second, weight);
  return way;
}

Way MachineFabric::limit(const std::string& name, BytesPerSecond rate, double weight) {
  const auto known = limits_.find(name);
  const double slower =
      conditions_.communication * std::exp(conditions_.processors * priors_.server_process);
  const ResourceId id = known != limits_.end()
                            ? known->second
                            : (limits_[name] = platform_->add_link(name, rate / slower));
  Way way;
  way.add(id, weight);
  return way;
}

RouteId MachineFabric::route(const Way& way) {
  std::vector<double> key;
  key.reserve(3 + 2 * way.uses.size());
  key.assign({way.latency.si(), way.cap.si(), way.share});
  for (const RouteUse& use : way.uses) {
    key.push_back(static_cast<double>(static_cast<std::uint32_t>(use.resource)));
    key.push_back(use.weight);
  }
  if (const auto known = routes_.find(key); known != routes_.end()) return known->second;
  Route route;
  route.name = "way " + std::to_string(routes_.size());
  route.uses = way.uses;
  route.latency = way.latency;
  route.rate_cap = way.cap / conditions_.communication;
  route.share = way.share;
  return routes_[key] = platform_->add_route(std::move(route));
}

bool MachineFabric::on_network(const Way& way) const {
  return std::ranges::any_of(cables_, [&](const auto& cable) {
    const auto& [in, out] = cable.second;
    return std::ranges::any_of(
        way.uses, [&](const RouteUse& use) { return use.resource == in || use.resource == out; });
  });
}

BytesPerSecond MachineFabric::memory_rate() const {
  BytesPerSecond rate;
  for (const MachineLink& link : cluster_->machine.links) {
    if (link.link.kind == LinkKind::kMemory) rate = std::max(rate, link.link.achieved);
  }
  PACELINE_ASSERT(rate.si() > 0, "a machine has memory");
  return rate;
}

}  // namespace paceline
