// One way to run a collective: its closed form when nothing else uses the links, and the messages
// it sends, as tasks for the engine. One file per algorithm; all registered ones are tested against
// their closed form, for conservation of bytes, and for every rank's data reaching every rank that
// needs them.
#pragma once

#include <span>
#include <vector>

#include "core/registry.h"
#include "model/collective/collective.h"
#include "model/formula/collectives.h"
#include "simulator/collectives/emitter.h"

namespace paceline {

// What is asked for. Rank r is device r % per_machine of machine r / per_machine.
struct CollectiveShape {
  CollectiveOp op = CollectiveOp::kAllReduce;
  Bytes bytes;  // per rank; of the whole buffer for all-gather and reduce-scatter
  CollectiveGroup group;
  int root = 0;     // of broadcast and reduce
  int chunks = 8;   // of pipelined algorithms
  int servers = 1;  // of the parameter server; ranks n .. n + servers - 1

  int ranks() const { return group.ranks(); }
};

// Links for the closed form: of a rank inside its machine, of a machine to the network (shared by
// its ranks), and the rate of one parameter server's link.
struct CollectiveLinks {
  formula::LinkCost<double> inner{};
  formula::LinkCost<double> network{};
  double server_rate = 0;
};

class CollectiveAlgorithm {
 public:
  virtual ~CollectiveAlgorithm() = default;
  // Why this shape cannot be run this way; empty if it can.
  virtual std::string unsupported(const CollectiveShape& shape) const = 0;
  virtual Seconds uncontended_time(const CollectiveShape& shape,
                                   const CollectiveLinks& links) const = 0;
  // Whether there are CollectiveShape::servers beside the ranks.
  virtual bool has_servers() const { return false; }
  // Bytes of all messages together.
  virtual Bytes total_bytes(const CollectiveShape& shape) const = 0;
  // Adds the messages. `after[r]` is what rank r waits for before it takes part. Returns, by rank,
  // the task after which the rank holds its result and may go on.
  virtual std::vector<TaskId> emit(const CollectiveShape& shape, std::span<const TaskId> after,
                                   CollectiveEmitter& emitter) const = 0;
};

using CollectiveRegistry = Registry<CollectiveAlgorithm>;

void register_all(CollectiveRegistry& registry);

// "ring", "tree", "halving-doubling", ...
inline CollectiveRegistry collective_registry() {
  CollectiveRegistry registry("collective algorithm");
  register_all(registry);
  return registry;
}

}  // namespace paceline
