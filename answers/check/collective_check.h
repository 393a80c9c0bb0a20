// Measured collectives (nccl-tests) against what the links can carry and what is predicted.
#pragma once

#include <optional>
#include <vector>

#include "answers/check/finding.h"
#include "model/collective/collective_model.h"
#include "model/hardware/link_catalog.h"
#include "traces/measurement/measurement.h"

namespace paceline {

// The machines they ran on; without it only the table itself is checked.
struct CollectiveFabric {
  const CollectiveModel* model = nullptr;
  FabricGroup fabric;
  const LinkCatalog* links_known = nullptr;
};

// Of each operation the largest size counts: bandwidth shows there. Impossible: bus bandwidth above
// what the links carry, unless switches reduce (the definition of bus bandwidth assumes a ring, so
// it may exceed the line rate then). Implausible: below half of the prediction. Within the table:
// a rate that falls with the size, times that are shorter for more bytes.
std::vector<Finding> check_collectives(const MeasurementSet& measured,
                                       const std::optional<CollectiveFabric>& fabric);

}  // namespace paceline
