#include "model/collective/channel_buffers.h"

#include <algorithm>
#include <cmath>

namespace paceline {
namespace {

constexpr int kTreePeers = 3;  // a parent and two children

}  // namespace

Bytes channel_buffers(const ClusterSpec& cluster, const FabricGroup& fabric,
                      const NcclTuning& tuning) {
  const Bytes without_ll =
      tuning.buffer(NcclProtocol::kLl128) + tuning.buffer(NcclProtocol::kSimple);
  const Bytes all = without_ll + tuning.buffer(NcclProtocol::kLl);
  const int channels = tuning.communicator_channels(fabric.graph);
  Bytes out = static_cast<double>(channels * fabric.direct_neighbours) * all;
  if (fabric.group.machines < 2 || cluster.network->transport != "rdma") return out;
  const int per_machine = fabric.group.per_machine;
  const int entering = (channels + per_machine - 1) / per_machine;
  const int peers = std::min(fabric.group.machines - 1, 2 + kTreePeers);
  return out + static_cast<double>(entering * peers) * (all + without_ll);
}

LibraryBuffers switch_buffers(const FabricGroup& fabric, const NcclTuning& tuning) {
  const NcclSwitchBuffers& known = tuning.switch_buffers();
  const auto channels = known.channels.find(fabric.graph.generation);
  if (channels == known.channels.end()) return {};
  const int opened = channels->second[fabric.group.machines > 1 ? 1 : 0];
  const auto count = static_cast<double>(opened * fabric.group.per_machine);
  LibraryBuffers out;
  out.bytes = count * known.each + known.beside;
  const double units = std::ceil(count * known.most_each / known.most_unit);
  out.below = out.bytes;
  out.above = std::max(units * known.most_unit - out.bytes, Bytes());
  out.source = known.source;
  return out;
}

}  // namespace paceline
