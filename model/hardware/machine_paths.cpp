#include "model/hardware/machine_paths.h"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>

namespace paceline {
namespace {

constexpr std::array<std::string_view, 6> kPathKinds = {
    "NVLink",     "NVSwitch", "PCIe switch", "through the processor", "staged through host memory",
    "host memory"};

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

}  // namespace

std::string_view to_string(PathKind kind) { return kPathKinds.at(static_cast<std::size_t>(kind)); }

std::size_t MachinePaths::head(const DirectedLink& link) const {
  const MachineLink& ends = machine_->links[link.link];
  return link.forward ? ends.b : ends.a;
}

bool MachinePaths::usable(const LinkSpec& link, Through through) const {
  const bool nvlink = link.kind == LinkKind::kNvlink || link.kind == LinkKind::kNvswitch;
  if (through == Through::kNvlink) return nvlink;
  if (through == Through::kPcie) return link.kind == LinkKind::kPcie;
  return link.kind != LinkKind::kMemory;
}

bool MachinePaths::may_forward(std::size_t node, Through through) const {
  const NodeKind kind = machine_->nodes[node].kind;
  if (through == Through::kNvlink) return kind == NodeKind::kNvswitch;
  return kind == NodeKind::kPcieSwitch || kind == NodeKind::kProcessor;
}

// Breadth first; the earlier link of the file wins among equals. Empty if there is no way.
std::vector<DirectedLink> MachinePaths::shortest(std::size_t from, std::size_t to,
                                                 Through through) const {
  std::vector<DirectedLink> arrived(machine_->nodes.size(), {kNowhere, true});
  std::queue<std::size_t> open;
  open.push(from);
  while (!open.empty() && arrived[to].link == kNowhere) {
    const std::size_t node = open.front();
    open.pop();
    if (node != from && !may_forward(node, through)) continue;
    for (std::size_t i = 0; i < machine_->links.size(); ++i) {
      const MachineLink& link = machine_->links[i];
      if ((link.a != node && link.b != node) || !usable(link.link, through)) continue;
      const DirectedLink step{i, link.a == node};
      const std::size_t next = head(step);
      if (next == from || arrived[next].link != kNowhere) continue;
      arrived[next] = step;
      open.push(next);
    }
  }
  std::vector<DirectedLink> path;
  for (std::size_t node = to; node != from; node = head({path.back().link, !path.back().forward})) {
    if (arrived[node].link == kNowhere) return {};
    path.push_back(arrived[node]);
  }
  std::ranges::reverse(path);
  return path;
}

void MachinePaths::finish(MachinePath& path) const {
  const double infinite = std::numeric_limits<double>::infinity();
  double tightest = infinite, ceiling = infinite;
  for (std::size_t i = 0; i < path.hops.size(); ++i) {
    const LinkSpec& link = machine_->links[path.hops[i].link.link].link;
    const double rate = link.achieved.si() / path.hops[i].weight;
    path.latency += link.latency;
    ceiling = std::min(ceiling, link.data_sheet.si());
    if (rate >= tightest) continue;
    tightest = rate;
    path.slowest = i;
  }
  path.ceiling = BytesPerSecond(ceiling);
  path.cap = BytesPerSecond(infinite);
  if (path.kind == PathKind::kStaged) {
    path.cap = BytesPerSecond(tightest * staging_.efficiency);
    path.latency += staging_.latency;
  }
  path.rate = std::min(path.cap, BytesPerSecond(tightest));
}

MachinePath MachinePaths::direct(PathKind kind, const std::vector<DirectedLink>& links) const {
  MachinePath path;
  path.kind = kind;
  for (const DirectedLink& link : links) {
    const LinkSpec& spec = machine_->links[link.link].link;
    const bool forwarded = kind == PathKind::kThroughProcessor && spec.peer.has_value();
    path.hops.push_back({link, forwarded ? spec.achieved / *spec.peer : 1.0});
  }
  finish(path);
  return path;
}

void MachinePaths::append_memory(MachinePath& path, std::size_t processor, bool write) const {
  for (std::size_t i = 0; i < machine_->links.size(); ++i) {
    const MachineLink& link = machine_->links[i];
    if (link.link.kind != LinkKind::kMemory || (link.a != processor && link.b != processor)) {
      continue;
    }
    path.hops.push_back({{i, (link.a == processor) == write}, 1.0});
    return;
  }
}

std::size_t MachinePaths::processor_of(std::size_t node) const {
  std::size_t nearest = kNowhere;
  std::size_t distance = kNowhere;
  for (const std::size_t processor : machine_->of_kind(NodeKind::kProcessor)) {
    const std::size_t hops = shortest(node, processor, Through::kHostLinks).size();
    if (hops == 0 || hops >= distance) continue;
    nearest = processor;
    distance = hops;
  }
  if (nearest == kNowhere) {
    throw InputError("no way from " + machine_->nodes[node].name +
                     " to host memory: the machine has no processor connected to it");
  }
  return nearest;
}

MachinePath MachinePaths::to_host(std::size_t device) const {
  const std::size_t processor = processor_of(device);
  MachinePath path;
  for (const DirectedLink& link : shortest(device, processor, Through::kHostLinks)) {
    path.hops.push_back({link, 1.0});
  }
  append_memory(path, processor, true);
  finish(path);
  return path;
}

MachinePath MachinePaths::from_host(std::size_t device) const {
  const std::size_t processor = processor_of(device);
  MachinePath path;
  append_memory(path, processor, false);
  for (const DirectedLink& link : shortest(processor, device, Through::kHostLinks)) {
    path.hops.push_back({link, 1.0});
  }
  finish(path);
  return path;
}

// The chunk lies in the memory of the sender's processor.
MachinePath MachinePaths::staged(std::size_t from, std::size_t to) const {
  const std::size_t processor = processor_of(from);
  MachinePath path = to_host(from);
  path.kind = PathKind::kStaged;
  append_memory(path, processor, false);
  for (const DirectedLink& link : shortest(processor, to, Through::kHostLinks)) {
    path.hops.push_back({link, 1.0});
  }
  path.latency = Seconds();
  finish(path);
  return path;
}

bool MachinePaths::peers_allowed(const std::vector<DirectedLink>& links) const {
  if (machine_->peer_access == PeerAccess::kAll) return true;
  if (machine_->peer_access != PeerAccess::kSameSocket) return false;
  return std::ranges::none_of(links, [&](const DirectedLink& link) {
    return machine_->links[link.link].link.kind == LinkKind::kSocket;
  });
}

MachinePath MachinePaths::between(std::size_t from, std::size_t to) const {
  const std::vector<DirectedLink> nvlinks = shortest(from, to, Through::kNvlink);
  if (!nvlinks.empty()) {
    return direct(nvlinks.size() == 1 ? PathKind::kNvlink : PathKind::kNvswitch, nvlinks);
  }
  const std::vector<DirectedLink> links = shortest(from, to, Through::kHostLinks);
  if (links.empty()) {
    throw InputError("no way from " + machine_->nodes[from].name + " to " +
                     machine_->nodes[to].name + " in this machine");
  }
  const bool forwarded = std::ranges::any_of(links, [&](const DirectedLink& link) {
    return machine_->nodes[head(link)].kind == NodeKind::kProcessor;
  });
  if (!forwarded && machine_->peer_access != PeerAccess::kNone) {
    return direct(PathKind::kPcieSwitch, links);
  }
  MachinePath by_memory = staged(from, to);
  if (!forwarded || !peers_allowed(links)) return by_memory;
  MachinePath by_peers = direct(PathKind::kThroughProcessor, links);
  return by_peers.rate >= by_memory.rate ? by_peers : by_memory;
}

std::size_t MachinePaths::nic_of(std::size_t device) const {
  const std::vector<std::size_t> nics = machine_->of_kind(NodeKind::kNic);
  std::vector<std::size_t> nearest;
  std::size_t distance = kNowhere;
  for (const std::size_t nic : nics) {
    const std::size_t hops = shortest(device, nic, Through::kHostLinks).size();
    if (hops == 0 || hops > distance) continue;
    if (hops < distance) nearest.clear();
    distance = hops;
    nearest.push_back(nic);
  }
  if (nearest.empty()) {
    throw InputError("no network card can be reached from " + machine_->nodes[device].name);
  }
  const std::vector<std::size_t> devices = machine_->of_kind(NodeKind::kDevice);
  const auto rank = static_cast<std::size_t>(std::ranges::find(devices, device) - devices.begin());
  return nearest[rank % nearest.size()];
}

std::string MachinePaths::describe(const PathHop& hop) const {
  const MachineLink& link = machine_->links[hop.link.link];
  const std::string& a = machine_->nodes[link.a].name;
  const std::string& b = machine_->nodes[link.b].name;
  return (hop.link.forward ? a + " -> " + b : b + " -> " + a) + " (" + link.link.name + ")";
}

}  // namespace paceline
