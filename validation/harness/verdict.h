// Whether a scored set keeps what its file promises, and what it misses.
#pragma once

#include <string>
#include <vector>

#include "validation/harness/score.h"

namespace paceline {

// One line per limit that is missed: "MAPE 12 % is above 10 %". A set that states limits and has no
// case to hold against them misses them all.
std::vector<std::string> shortfalls(const ScoredSet& set);

// The limits in words, "MAPE 10.0 %, median 6.0 %, better than both null models"; empty if none.
std::string limits_text(const Thresholds& thresholds);

}  // namespace paceline
