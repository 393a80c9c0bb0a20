// The accuracy of the GPU kernel models in tables, from the residuals of their folds: the document
// docs/accuracy-kernels.md and `paceline validate --kernels`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/statistics.h"
#include "core/table.h"
#include "model/parameters/fold_residuals.h"

namespace paceline {

// One way of predicting one device, or all devices of a family together (`device` is empty).
struct KernelScore {
  std::string family;
  std::string device;
  std::string split;
  ErrorSummary errors{};
  double coverage90 = 0;    // share inside the 90 % interval
  double median_width = 0;  // of the 90 % interval: largest / smallest time
  ErrorSummary roofline{};
  ErrorSummary nearest{};  // none where the device is the only one
  // Largest / smallest of nine in ten of the roofline's errors: what an interval must beat.
  double roofline_spread = 0;
};

// By family and split over all devices, timings counting equally; then each device.
std::vector<KernelScore> score_kernels(const FoldResidualFile& residuals);

// `for_people`: with shorter names, so that it fits 120 columns.
Table kernel_score_table(const std::vector<KernelScore>& scores, bool for_people = false);
// {"schema", "kernels": [{family, device, split, count, mape, ..., null: {...}}], "rankings"}.
nlohmann::ordered_json kernel_accuracy_json(const FoldResidualFile& residuals);
// Markdown.
std::string kernel_accuracy_document(const FoldResidualFile& residuals);

}  // namespace paceline
