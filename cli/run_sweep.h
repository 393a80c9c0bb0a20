// Predicts the points of a sweep; devices are read once.
#pragma once

#include <vector>

#include "cli/arguments.h"
#include "model/plan/report.h"
#include "simulator/report/prediction.h"

namespace paceline {

struct SweepResult {
  std::vector<Prediction> points;   // those that could be predicted, in input order
  std::vector<std::string> errors;  // the others
  std::vector<Report> reports() const;
};

// Reads the experiment flags. A single point throws what went wrong with it; of several, errors are
// kept, and the first is thrown only if every point failed.
SweepResult run_sweep(const Arguments& arguments);

}  // namespace paceline
