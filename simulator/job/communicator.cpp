#include "simulator/job/communicator.h"

#include <algorithm>

namespace paceline {

Communicator::Communicator(const CommunicationModels& models, const ClusterSpec& cluster,
                           std::string generation, int connections)
    : models_(models),
      cluster_(cluster),
      generation_(std::move(generation)),
      connections_(connections),
      staging_(models.copies.staging()) {}

FabricGroup Communicator::fabric(const CollectiveGroup& group) {
  const CollectiveGroup least{std::min(group.machines, 2), group.per_machine};
  const std::pair<int, int> key{least.machines, least.per_machine};
  const auto grown = [&](const FabricGroup& of_least) {
    return group.machines > 2 ? on_machines(of_least, group.machines) : of_least;
  };
  if (group.machines <= cluster_.machines) {  // of others fabric_group says what is wrong
    const std::lock_guard lock(mutex_);
    if (const auto known = fabrics_.find(key); known != fabrics_.end()) return grown(known->second);
  }
  FabricGroup made = fabric_group(cluster_, group, staging_, models_.collectives.tuning(),
                                  generation_, connections_);
  const std::lock_guard lock(mutex_);
  fabrics_.emplace(key, group.machines > 2 ? on_machines(made, 2) : made);
  return made;
}

LibraryBuffers Communicator::buffers(const FabricGroup& fabric, bool in_switch) const {
  const NcclTuning& tuning = models_.collectives.tuning();
  LibraryBuffers out;
  if (in_switch) out = switch_buffers(fabric, tuning);
  out.bytes += channel_buffers(cluster_, fabric, tuning);
  return out;
}

const CollectiveCost& Communicator::cost(CollectiveOp op, Bytes bytes, const CollectiveGroup& group,
                                         const std::string& library) {
  const Key key{op, bytes.si(), group.machines, group.per_machine, library};
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = costs_.find(key); known != costs_.end()) return known->second;
  }
  CollectiveCall call;
  call.op = op;
  call.bytes = bytes;
  call.group = group;
  call.library = library;
  CollectiveCost made = models_.collectives.cost(call, fabric(group));
  const std::lock_guard lock(mutex_);
  return costs_.emplace(key, std::move(made)).first->second;
}

}  // namespace paceline
