#include "simulator/job/communicator.h"

#include "model/collective/channel_buffers.h"
#include "model/hardware/copy_model.h"

namespace paceline {

Communicator::Communicator(const ClusterSpec& cluster, std::string generation, int connections)
    : cluster_(&cluster),
      generation_(std::move(generation)),
      connections_(connections),
      model_(CollectiveModel::shipped()),
      staging_(CopyModel::shipped().staging()) {}

const FabricGroup& Communicator::fabric(const CollectiveGroup& group) {
  const std::pair<int, int> key{group.machines, group.per_machine};
  if (const auto known = fabrics_.find(key); known != fabrics_.end()) return known->second;
  return fabrics_
      .emplace(key,
               fabric_group(*cluster_, group, staging_, model_.tuning(), generation_, connections_))
      .first->second;
}

Bytes Communicator::buffers(const CollectiveGroup& group) {
  return channel_buffers(*cluster_, fabric(group), staging_, model_.tuning());
}

const CollectiveCost& Communicator::cost(CollectiveOp op, Bytes bytes, const CollectiveGroup& group,
                                         const std::string& library) {
  const Key key{op, bytes.si(), group.machines, group.per_machine, library};
  if (const auto known = costs_.find(key); known != costs_.end()) return known->second;
  CollectiveCall call;
  call.op = op;
  call.bytes = bytes;
  call.group = group;
  call.library = library;
  return costs_.emplace(key, model_.cost(call, fabric(group))).first->second;
}

}  // namespace paceline
