// The flags that describe an experiment, shared by predict, compare and explain: from text to the
// points of a sweep.
#pragma once

#include <vector>

#include "cli/command.h"
#include "model/plan/experiment.h"

namespace paceline {

// Flags that are read, and flags of later parts that are refused by name.
std::vector<FlagSpec> experiment_flags();

// Whether the flags say how many samples there are. Throws UsageError if they do twice.
bool has_batch(const Arguments& arguments);

// One experiment per combination of the listed values; the flag named first in the list above
// varies slowest. Names are as typed; `threads` is 0 where the device decides.
// Throws UsageError for values that cannot be used and for flags that are not supported yet.
std::vector<Experiment> read_experiments(const Arguments& arguments);

}  // namespace paceline
