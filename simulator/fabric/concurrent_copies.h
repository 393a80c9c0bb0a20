// Copies between host and devices, or between devices, of one machine that start at once: each at
// the cost that it has alone, and all sharing the links they meet on.
#pragma once

#include <string>
#include <vector>

#include "simulator/fabric/fabric_platform.h"

namespace paceline {

struct CopyOverPath {
  MachinePath path;
  Seconds alone;  // model/hardware/copy_model.h
};

struct ConcurrentCopies {
  Seconds time;               // until the last has ended
  std::string shared;         // the link that most of the bytes cross, "gpu0 -> plx0 (pcie3-x16)"
  bool is_contended = false;  // longer than the slowest copy alone
};

// `bytes` each. `cluster` has the machine; at least one copy.
ConcurrentCopies time_of_copies(const ClusterSpec& cluster, const StagingModel& staging,
                                const std::vector<CopyOverPath>& copies, Bytes bytes);

}  // namespace paceline
