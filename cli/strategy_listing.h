// What `paceline list strategies` says: every strategy with its options and their defaults.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace paceline {

// One object per strategy: name, summary, options [{name, default, allowed, summary, needs}].
nlohmann::ordered_json list_strategies();

}  // namespace paceline
