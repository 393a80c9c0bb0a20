#include "calibration/collective/collective.h"
#include "core/table.h"
#include "core/units_text.h"

namespace paceline {
namespace {

std::string percent(const ErrorSummary& errors) {
  return errors.count == 0 ? "-" : significant(100 * errors.mape) + " %";
}

}  // namespace

std::string to_text(const CollectiveFitResult& result) {
  Table table({"operation", "points", "by size", "by ranks", "alpha-beta by size",
               "alpha-beta by ranks", "NCCL's estimate"});
  for (const CollectiveErrors& errors : result.errors) {
    table.add_row({errors.operation.empty() ? "all" : errors.operation,
                   std::to_string(errors.by_size.count), percent(errors.by_size),
                   percent(errors.by_ranks), percent(errors.alpha_beta_by_size),
                   percent(errors.alpha_beta_by_ranks), percent(errors.nccl_estimate)});
  }
  std::string text =
      result.parameters.device + ": mean absolute error of held-out messages\n" + table.to_string();
  for (const std::string& reason : result.refused) text += "not fitted: " + reason + "\n";
  return text;
}

}  // namespace paceline
