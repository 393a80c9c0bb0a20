#include "model/hardware/ring_bandwidth.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace paceline {
namespace {

constexpr double kUnit = 0.5;  // of a link, per packed ring
constexpr std::size_t kMostPacked = 12;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Least sum of 1 / remaining capacity over Hamiltonian cycles through node 0; empty if none.
// Spreads the rings over the links that are free.
std::vector<std::size_t> cheapest_cycle(const std::vector<double>& capacity, std::size_t n) {
  const std::size_t sets = std::size_t{1} << n;
  std::vector<double> cost(sets * n, kInfinite);
  std::vector<std::size_t> before(sets * n, 0);
  cost[1 * n] = 0;
  for (std::size_t set = 1; set < sets; ++set) {
    for (std::size_t at = 0; at < n; ++at) {
      if (cost[set * n + at] == kInfinite) continue;
      for (std::size_t next = 0; next < n; ++next) {
        const bool visited = ((set >> next) & 1) != 0;
        if (visited || capacity[at * n + next] < kUnit) continue;
        const std::size_t grown = (set | (std::size_t{1} << next)) * n + next;
        const double candidate = cost[set * n + at] + 1 / capacity[at * n + next];
        if (candidate >= cost[grown]) continue;
        cost[grown] = candidate;
        before[grown] = at;
      }
    }
  }
  std::size_t last = 0;
  double best = kInfinite;
  for (std::size_t at = 1; at < n; ++at) {
    if (capacity[at * n] < kUnit) continue;
    const double total = cost[(sets - 1) * n + at] + 1 / capacity[at * n];
    if (total < best) best = total, last = at;
  }
  if (best == kInfinite) return {};
  std::vector<std::size_t> cycle;
  std::size_t set = sets - 1;
  for (std::size_t at = last; cycle.size() < n;) {
    cycle.push_back(at);
    const std::size_t previous = before[set * n + at];
    set &= ~(std::size_t{1} << at);
    at = previous;
  }
  std::ranges::reverse(cycle);
  return cycle;
}

// Links between the devices of a group when NVLink alone joins them; the spec of one link.
struct LinkMesh {
  std::vector<double> lanes;
  const LinkSpec* link = nullptr;
};

LinkMesh nvlink_mesh(const MachineSpec& machine, std::span<const std::size_t> devices) {
  const std::size_t n = devices.size();
  LinkMesh mesh{std::vector<double>(n * n, 0.0), nullptr};
  const auto position = [&](std::size_t node) {
    return static_cast<std::size_t>(std::ranges::find(devices, node) - devices.begin());
  };
  for (const MachineLink& link : machine.links) {
    const std::size_t a = position(link.a);
    const std::size_t b = position(link.b);
    if (link.link.kind != LinkKind::kNvlink || a >= n || b >= n) continue;
    mesh.lanes[a * n + b] += link.link.lanes;
    mesh.lanes[b * n + a] += link.link.lanes;
    mesh.link = &link.link;
  }
  return mesh;
}

// pack_rings of a matrix that was packed before is remembered: a sweep asks for one machine
// thousands of times. Any thread.
double remembered_rings(const std::vector<double>& lanes, std::size_t n) {
  constexpr std::size_t kMostRemembered = 64;
  static std::mutex mutex;
  static std::map<std::vector<double>, double> known;
  {
    const std::lock_guard lock(mutex);
    const auto found = known.find(lanes);
    if (found != known.end()) return found->second;
  }
  const double rings = pack_rings(lanes, n);
  const std::lock_guard lock(mutex);
  if (known.size() >= kMostRemembered) known.clear();
  return known.emplace(lanes, rings).first->second;
}

std::optional<RingBandwidth> packed(const MachineSpec& machine,
                                    std::span<const std::size_t> devices) {
  if (devices.size() > kMostPacked) return std::nullopt;
  const LinkMesh mesh = nvlink_mesh(machine, devices);
  const double rings = mesh.link == nullptr ? 0 : remembered_rings(mesh.lanes, devices.size());
  if (rings == 0) return std::nullopt;
  RingBandwidth out;
  out.lane = mesh.link->achieved / mesh.link->lanes;
  out.rings = rings;
  out.rate = out.lane * rings;
  out.path = PathKind::kNvlink;
  out.latency = mesh.link->latency;
  out.limit = significant(rings) + " rings of " +
              (mesh.link->lane.empty() ? mesh.link->name : mesh.link->lane);
  return out;
}

struct Load {
  double bytes = 0;  // per byte that goes round
  PathHop hop;
  PathKind kind = PathKind::kHost;
};

RingBandwidth ring_in_order(const MachineSpec& machine, const MachinePaths& paths,
                            std::span<const std::size_t> devices) {
  std::map<std::pair<std::size_t, bool>, Load> loads;
  RingBandwidth out;
  out.rate = BytesPerSecond(kInfinite);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const MachinePath path = paths.between(devices[i], devices[(i + 1) % devices.size()]);
    out.latency = std::max(out.latency, path.latency);
    for (const PathHop& hop : path.hops) {
      Load& load = loads[{hop.link.link, hop.link.forward}];
      load.bytes += hop.weight;
      load.hop = hop;
      load.kind = path.kind;
    }
    if (path.cap >= out.rate) continue;
    out.rate = path.cap;
    out.path = path.kind;
    out.limit = paths.describe(path.hops[path.slowest]) + ", " + std::string(to_string(path.kind));
  }
  for (const auto& [key, load] : loads) {
    const BytesPerSecond rate = machine.links[key.first].link.achieved / load.bytes;
    if (rate >= out.rate) continue;
    out.rate = rate;
    out.path = load.kind;
    out.limit = paths.describe(load.hop);
  }
  const MachineLink& first = machine.links[loads.begin()->first.first];
  out.rings = out.path == PathKind::kNvswitch ? first.link.lanes : 1;
  out.lane = out.rate / out.rings;
  return out;
}

}  // namespace

double pack_rings(std::vector<double> capacity, std::size_t n) {
  PACELINE_ASSERT(n >= 2 && n <= kMostPacked && capacity.size() == n * n,
                  "rings are packed into a small square matrix");
  double rings = 0;
  while (true) {
    const std::vector<std::size_t> cycle = cheapest_cycle(capacity, n);
    if (cycle.empty()) return rings;
    for (std::size_t i = 0; i < n; ++i) capacity[cycle[i] * n + cycle[(i + 1) % n]] -= kUnit;
    rings += kUnit;
  }
}

RingBandwidth ring_bandwidth(const MachineSpec& machine, const MachinePaths& paths,
                             std::span<const std::size_t> devices) {
  PACELINE_ASSERT(devices.size() >= 2, "a ring has at least two devices");
  if (auto out = packed(machine, devices)) return *out;
  return ring_in_order(machine, paths, devices);
}

}  // namespace paceline
