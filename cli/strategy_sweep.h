// Options of --set in a sweep over several strategies: each strategy gets its own.
#pragma once

#include <vector>

#include "model/plan/experiment.h"

namespace paceline {

// Takes from every point the options that another strategy of the sweep has and its own has not,
// nor its framework; points that are then the same are left once. Options that nobody has stay, to
// be refused where they are used. Does nothing for points of one strategy.
void keep_own_options(std::vector<Experiment>& points);

}  // namespace paceline
