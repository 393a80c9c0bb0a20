// How far whole jobs were from their mechanism: what is left of published runs after everything
// with a prior of its own. Two factors, of what the devices of a job compute (against one by
// itself) and of what they send, add and wait for; each as ln(factor) at its 5 % and 95 %
// quantiles. Fitted by paceline_fit_job_residuals to calibration/fitted/jobs/residuals.json, once
// with all sets and once without each, so that no set is judged by itself.
// docs/models/uncertainty.md.
#pragma once

#include <filesystem>
#include <string_view>

namespace paceline {

struct ResidualRange {
  double low = 0;   // not positive
  double high = 0;  // not negative
};

struct JobResiduals {
  ResidualRange computing;
  ResidualRange communication;

  // Of all sets, or without the one that is judged; a set that was not fitted leaves none out.
  // Throws InputError.
  static JobResiduals load(const std::filesystem::path& file, std::string_view without);
  static JobResiduals shipped(std::string_view without = {});
};

}  // namespace paceline
