// Predicts the points that the experiment flags describe, with a progress bar where it takes long.
#pragma once

#include "answers/compare/sweep.h"
#include "cli/arguments.h"
#include "cli/skipped_points.h"

namespace paceline {

struct SweepResult : Sweep {
  std::vector<Experiment> experiments;  // as typed, all that can be
  SweepDevices devices;                 // that they run on
  SkippedPoints skipped;                // those that could not be predicted

  // The only point. Throws UsageError "<command> takes one experiment, ..." if there are several.
  const Prediction& only(const char* command) const;
};

// Reads the experiment flags. A single point throws what went wrong with it; of several, errors are
// kept, and the first is thrown only if every point failed.
SweepResult run_sweep(const Arguments& arguments);

}  // namespace paceline
