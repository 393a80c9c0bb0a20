// What `paceline list` says of links, clusters and collective algorithms.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace paceline {

// Every catalog link with its rates, latency and their sources.
nlohmann::ordered_json list_links();
// Every machine and cluster of the catalog.
nlohmann::ordered_json list_clusters();
// Every algorithm the simulator can emit.
nlohmann::ordered_json list_collectives();

}  // namespace paceline
