// Memory of groups of operations that run as one kernel (model/graph/rewrite/fusion.h): tensors
// inside a group never exist, and backward keeps what the group's own gradient reads.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "model/graph/rewrite/fusion.h"
#include "model/graph/work.h"
#include "simulator/memory/memory_rules.h"

namespace paceline {

// For operations of a group only.
class FusedMemory {
 public:
  // `graph` must outlive this.
  explicit FusedMemory(const WorkloadGraph& graph);

  // What the group keeps, each input at the member that reads it first, the rest at the last one.
  std::vector<SavedBuffer> kept(const Op& op) const;
  // The group's output takes memory when its first operation runs, and the others write into it.
  Place output(const Op& op) const;
  bool is_inside(TensorId tensor) const { return inside_.contains(tensor); }

 private:
  std::map<TensorId, std::vector<SavedBuffer>> kept_;  // by the output of the member
  std::set<TensorId> inside_;
};

}  // namespace paceline
