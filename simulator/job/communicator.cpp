#include "simulator/job/communicator.h"

namespace paceline {

Communicator::Communicator(const CommunicationModels& models, const ClusterSpec& cluster,
                           std::string generation, int connections)
    : models_(models),
      cluster_(cluster),
      generation_(std::move(generation)),
      connections_(connections),
      staging_(models.copies.staging()) {}

const FabricGroup& Communicator::fabric(const CollectiveGroup& group) {
  const std::pair<int, int> key{group.machines, group.per_machine};
  if (const auto known = fabrics_.find(key); known != fabrics_.end()) return known->second;
  return fabrics_
      .emplace(key, fabric_group(cluster_, group, staging_, models_.collectives.tuning(),
                                 generation_, connections_))
      .first->second;
}

LibraryBuffers Communicator::buffers(const NcclUse& use) {
  const std::lock_guard lock(mutex_);
  const NcclTuning& tuning = models_.collectives.tuning();
  const FabricGroup& known = fabric(use.group);
  LibraryBuffers out;
  if (use.in_switch) out = switch_buffers(known, tuning);
  out.bytes += channel_buffers(cluster_, known, staging_, tuning);
  return out;
}

const CollectiveCost& Communicator::cost(CollectiveOp op, Bytes bytes, const CollectiveGroup& group,
                                         const std::string& library) {
  const Key key{op, bytes.si(), group.machines, group.per_machine, library};
  const std::lock_guard lock(mutex_);
  if (const auto known = costs_.find(key); known != costs_.end()) return known->second;
  CollectiveCall call;
  call.op = op;
  call.bytes = bytes;
  call.group = group;
  call.library = library;
  return costs_.emplace(key, models_.collectives.cost(call, fabric(group))).first->second;
}

}  // namespace paceline
