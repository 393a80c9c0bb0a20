// What bandwidth between machines a measured iteration implies.
//
// All-reduce of `gradient` bytes over n devices on a ring sends 2 (n - 1) / n of them out of every
// machine (model/collective/collective.h). If the iteration takes T and one device alone T1, the
// network was busy for T - T1 at least, when all communication that compute could hide was hidden,
// and T at most: the implied bandwidth lies between the two quotients.
#pragma once

#include <cstdint>
#include <optional>

#include "answers/check/finding.h"
#include "core/units.h"
#include "model/hardware/link_catalog.h"

namespace paceline {

struct NetworkRun {
  std::int64_t devices = 0;
  Seconds iteration;               // of the job over several machines
  Seconds without;                 // of one device alone, or of one machine
  Bytes gradient;                  // exchanged per iteration by each device
  const LinkSpec* link = nullptr;  // between the machines
};

struct ImpliedBandwidth {
  BytesPerSecond low;
  BytesPerSecond high;
};
// Nothing if the run is not noticeably longer (10 %) than without the network.
std::optional<ImpliedBandwidth> implied_bandwidth(const NetworkRun& run);

// Implausible if even the upper end is below half of what the link achieves; names the slower
// link of the catalog that it looks like, and what usually holds a network back.
std::optional<Finding> check_network(const NetworkRun& run, const LinkCatalog& catalog);

}  // namespace paceline
