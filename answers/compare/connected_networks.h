// Networks whose connections, not their cards, limit a job: what to set there, and which of them
// give the same for that reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/plan/report.h"

namespace paceline {

// How many connections of each machine carry less than the cards of the network could; nothing
// where they do not limit the collectives of the job.
std::optional<int> limiting_connections(const Report& report);

// "25gbe and 100gbe give the same: 2 tcp connections ...", one line for all points that differ in
// nothing but the network. The same is an iteration time within 1 %.
std::vector<std::string> networks_alike(const std::vector<Report>& reports);

}  // namespace paceline
