// The flags that describe an experiment, shared by predict, compare and explain: from text to the
// points of a sweep.
#pragma once

#include <vector>

#include "cli/command.h"
#include "cli/skipped_points.h"
#include "model/plan/experiment.h"

namespace paceline {

// Flags that are read, and flags of later parts that are refused by name.
std::vector<FlagSpec> experiment_flags();

// Whether the flags say how many samples there are. Throws UsageError if they do twice.
bool has_batch(const Arguments& arguments);

struct ExperimentPoints {
  std::vector<Experiment> points;
  SkippedPoints skipped;  // combinations that cannot be, as a batch that its devices cannot share
};

// One experiment per combination of the listed values; --cluster varies slowest, then the flag
// named first in the list above. Names are as typed; `threads` is 0 where the device decides.
// Throws UsageError for values that cannot be used, for flags that are not supported yet, and if
// there is no combination that can be.
ExperimentPoints read_experiments(const Arguments& arguments);

}  // namespace paceline
