// The links of a cluster as resources of a simulation: copies and collectives of any ranks share
// them, each direction of each link by max-min fairness. Rank r is device r % per_machine of
// machine r / per_machine.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "model/collective/fabric_group.h"
#include "simulator/collectives/emitter.h"
#include "simulator/engine/platform.h"

namespace paceline {

class FabricPlatform : public CollectiveNetwork {
 public:
  // Adds both directions of every link of every machine, and the network card's cable, to
  // `platform`. `cluster` and `platform` must outlive this.
  FabricPlatform(Platform& platform, const ClusterSpec& cluster, const StagingModel& staging);

  // From one rank to another: inside a machine over its static path; between machines over the
  // sender's network card, the network (non-blocking) and the receiver's card. A share of
  // 1 / channels of the path's rate. kSwitchRank: to or from the NVSwitch, or the network beyond
  // the card where a machine has none. Throws InputError if there is no way.
  RouteId route(int from, int to, int channels) override;

  // The links a ring over `group` uses, as one fluid: a collective that alone runs at `rate` bus
  // bytes per second slows down as others use the same links. For stretchable tasks.
  RouteId ring_route(const CollectiveGroup& group, BytesPerSecond rate);

  // Resource of one direction of a link of a machine.
  ResourceId link(int machine, const DirectedLink& link) const;

 private:
  std::vector<RouteUse> uses_between(int from, int to, Seconds& latency,
                                     BytesPerSecond& rate) const;
  void add_path(const MachinePath& path, int machine, std::vector<RouteUse>& uses, Seconds& latency,
                BytesPerSecond& rate) const;
  void add_cable(int machine, std::size_t card, bool out, std::vector<RouteUse>& uses,
                 BytesPerSecond& rate) const;

  Platform* platform_;
  const ClusterSpec* cluster_;
  MachinePaths paths_;
  std::vector<std::size_t> devices_;
  std::vector<std::size_t> cards_;
  std::vector<std::vector<ResourceId>> links_;   // machine; 2 * link + forward
  std::vector<std::vector<ResourceId>> cables_;  // machine; 2 * card + out
  std::map<std::tuple<int, int, int>, RouteId> routes_;
};

}  // namespace paceline
