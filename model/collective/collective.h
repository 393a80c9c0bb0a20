// Collective operations, the group they run over, and the bandwidth definitions of nccl-tests
// (doc/PERFORMANCE.md): algorithm bandwidth = size / time; bus bandwidth = algorithm bandwidth
// times the bytes that must cross each rank's link per byte of size, so that it compares with the
// link.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace paceline {

enum class CollectiveOp {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kBroadcast,
  kReduce,
  kAllToAll,
  kSendRecv
};
// "all-reduce", ...
std::string_view to_string(CollectiveOp op);
std::vector<std::string> collective_names();
// Also accepts the names of nccl-tests and MPI ("all_reduce", "allreduce", "alltoall",
// "send_recv"). Throws UsageError with the nearest names.
CollectiveOp parse_collective(std::string_view text);

// `machines` machines with `per_machine` ranks in each.
struct CollectiveGroup {
  int machines = 1;
  int per_machine = 1;
  int ranks() const { return machines * per_machine; }
  bool operator==(const CollectiveGroup&) const = default;
};

// 2(n-1)/n all-reduce; (n-1)/n reduce-scatter, all-gather, all-to-all; 1 broadcast, reduce,
// send-recv.
double bus_factor(CollectiveOp op, int ranks);

// Messages one after another on a ring: 2(n-1), n-1, or 1 for send-recv.
int ring_steps(CollectiveOp op, int ranks);
// How many of those steps leave a machine.
int ring_network_steps(CollectiveOp op, const CollectiveGroup& group);

}  // namespace paceline
