// How well shipped constants predict messages that no fit has seen, and the document that says so.
#pragma once

#include <string>
#include <vector>

#include "calibration/collective/collective.h"

namespace paceline {

struct UnseenErrors {
  std::string operation;  // empty: all
  ErrorSummary errors;
  double coverage90 = 0;       // share of the messages inside the predicted 90 % interval
  ErrorSummary nccl_estimate;  // NCCL's own formula; count 0 where it has none
};

// All operations together first.
std::vector<UnseenErrors> unseen_errors(const CollectiveProblem& problem,
                                        const std::vector<CollectivePoint>& points,
                                        const CollectiveModel& model);

struct CollectiveAccuracy {
  std::string title;
  std::vector<CollectiveErrors> held_out;  // of a fitted set
  std::vector<UnseenErrors> unseen;        // of a set that nothing was fitted to
};

// docs/accuracy-collectives.md.
std::string accuracy_document(const std::vector<CollectiveAccuracy>& sets);

}  // namespace paceline
