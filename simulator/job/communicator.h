// What the collectives of one job cost on its cluster when they run alone: the cost model of
// collectives, the fabric as each group of ranks sees it, and a memory of what was asked before.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "model/collective/channel_buffers.h"
#include "model/collective/collective_model.h"
#include "model/hardware/copy_model.h"
#include "model/hardware/machine_spec.h"

namespace paceline {

// A group of ranks whose collectives NCCL runs, and whether it reduces any of them in the switch.
struct NcclUse {
  CollectiveGroup group;
  bool in_switch = false;
};

// What is the same for every cluster; read once.
struct CommunicationModels {
  CollectiveModel collectives = CollectiveModel::shipped();
  CopyModel copies = CopyModel::shipped();
};

// Questions may come from any thread.
class Communicator {
 public:
  // `generation`: of NCCL's tables. `connections`: over the network per machine, 0 for what the
  // library opens. Models and cluster must outlive this.
  Communicator(const CommunicationModels& models, const ClusterSpec& cluster,
               std::string generation, int connections);

  const CollectiveCost& cost(CollectiveOp op, Bytes bytes, const CollectiveGroup& group,
                             const std::string& library = "nccl");
  const StagingModel& staging() const { return staging_; }
  // The fabric as the group sees it.
  FabricGroup fabric(const CollectiveGroup& group);
  // Device memory that a communicator of NCCL over it takes, also to reduce in the switch
  // (channel_buffers.h).
  LibraryBuffers buffers(const FabricGroup& fabric, bool in_switch) const;

 private:
  using Key = std::tuple<CollectiveOp, double, int, int, std::string>;

  const CommunicationModels& models_;
  const ClusterSpec& cluster_;
  std::string generation_;
  int connections_;
  StagingModel staging_;
  std::mutex mutex_;  // of what follows; not held while something is computed
  // Of one machine, or of two in place of any number: by machines and ranks of each.
  std::map<std::pair<int, int>, FabricGroup> fabrics_;
  std::map<Key, CollectiveCost> costs_;
};

}  // namespace paceline
