// The links of a cluster as resources of a simulation: copies and collectives of any ranks share
// them, each direction of each link by max-min fairness. Rank r is device r % per_machine of
// machine r / per_machine.
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "model/collective/fabric_group.h"
#include "simulator/collectives/emitter.h"
#include "simulator/engine/platform.h"

namespace paceline {

class FabricPlatform : public CollectiveNetwork {
 public:
  // Adds both directions of every link of the first `simulated_machines` machines, and their
  // network cards' cables, to `platform`; machine m is then played by machine m modulo that number.
  // 0: every machine plays itself. 1 is exact where all machines do the same (a ring over all
  // ranks), and costs as much for 16,384 devices as for one machine. `cluster` and `platform` must
  // outlive this.
  FabricPlatform(Platform& platform, const ClusterSpec& cluster, const StagingModel& staging,
                 int simulated_machines = 0);

  // From one rank to another: inside a machine over its static path; between machines over the
  // sender's network card, the network (non-blocking) and the receiver's card. A share of
  // 1 / channels of the path's rate. kSwitchRank: to or from the NVSwitch, or the network beyond
  // the card where a machine has none. Throws InputError if there is no way.
  RouteId route(int from, int to, int channels) override;

  // From a rank to host memory of a machine (`to_host`), or back: of the rank's own machine the
  // memory of its processor; of another, over the network and the card there of the same number.
  RouteId host_route(int machine, int rank, bool to_host);

  // Equal transfers between all `pairs` (from, to) at once, as one: each byte of the task moves one
  // byte of every pair, so what pairs take of a shared link adds up. Exact where the pairs are
  // alike: workers that push to one server. The same pairs give the same route.
  RouteId joint_route(std::span<const std::pair<int, int>> pairs, int channels = 1);

  // The links a ring over `group` uses, as one fluid: a collective that alone runs at `rate` bus
  // bytes per second slows down as others use the same links. For stretchable tasks.
  RouteId ring_route(const CollectiveGroup& group, BytesPerSecond rate);

  // What a copy over `path` takes of the links of a machine; latency and cap are the caller's.
  Route path_route(int machine, const MachinePath& path) const;

  // The same for a transfer of the collective's bus bytes; fluid_collective.h.
  Route ring_transfer(const CollectiveGroup& group, BytesPerSecond rate) const;

  // Resource of one direction of a link of a machine.
  ResourceId link(int machine, const DirectedLink& link) const;

 private:
  std::vector<RouteUse> uses_between(int from, int to, Seconds& latency,
                                     BytesPerSecond& rate) const;
  void add_path(const MachinePath& path, int machine, std::vector<RouteUse>& uses, Seconds& latency,
                BytesPerSecond& rate) const;
  void add_cable(int machine, std::size_t card, bool out, std::vector<RouteUse>& uses,
                 BytesPerSecond& rate) const;

  // What one bus byte of a ring over the group takes of each link.
  std::vector<RouteUse> ring_uses(const CollectiveGroup& group) const;
  std::size_t player(int machine) const { return static_cast<std::size_t>(machine % simulated_); }

  Platform* platform_;
  const ClusterSpec* cluster_;
  int simulated_;
  MachinePaths paths_;
  std::vector<std::size_t> devices_;
  std::vector<std::size_t> cards_;
  std::vector<std::vector<ResourceId>> links_;   // simulated machine; 2 * link + forward
  std::vector<std::vector<ResourceId>> cables_;  // simulated machine; 2 * card + out
  std::map<std::tuple<int, int, int>, RouteId> routes_;
  std::map<std::tuple<int, int, bool>, RouteId> host_routes_;
  std::map<std::pair<int, std::vector<std::pair<int, int>>>, RouteId> joint_routes_;
};

}  // namespace paceline
