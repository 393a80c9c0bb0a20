// What the collectives of one job cost on its cluster when they run alone: the cost model of
// collectives, the fabric as each group of ranks sees it, and a memory of what was asked before.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "model/collective/collective_model.h"
#include "model/hardware/machine_spec.h"

namespace paceline {

class Communicator {
 public:
  // `generation`: of NCCL's tables. `connections`: over the network per machine, 0 for what the
  // library opens. The cluster must outlive this.
  Communicator(const ClusterSpec& cluster, std::string generation, int connections);

  const CollectiveCost& cost(CollectiveOp op, Bytes bytes, const CollectiveGroup& group,
                             const std::string& library = "nccl");
  const FabricGroup& fabric(const CollectiveGroup& group);
  const StagingModel& staging() const { return staging_; }
  // Device memory that a communicator of NCCL over the group takes (channel_buffers.h).
  Bytes buffers(const CollectiveGroup& group);

 private:
  using Key = std::tuple<CollectiveOp, double, int, int, std::string>;

  const ClusterSpec* cluster_;
  std::string generation_;
  int connections_;
  CollectiveModel model_;
  StagingModel staging_;
  std::map<std::pair<int, int>, FabricGroup> fabrics_;
  std::map<Key, CollectiveCost> costs_;
};

}  // namespace paceline
