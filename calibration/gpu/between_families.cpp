#include "calibration/gpu/between_families.h"

#include <cmath>

#include "calibration/selection/error_parts.h"
#include "core/error.h"
#include "core/statistics.h"

namespace paceline {
namespace {

struct Standardized {
  std::vector<double> errors;
  std::vector<std::string> devices;
};

double typical_in_sds(const GpuFold& fold, const IntervalWidth& width) {
  std::vector<double> errors, variances;
  for (const UnseenShape& shape : fold.shapes) {
    errors.push_back(shape.log_error);
    variances.push_back(shape.parameter_variance);
  }
  return median(errors) /
         std::hypot(width.parameters * std::sqrt(median(variances)), width.shared_sd);
}

Standardized standardized(std::span<const FamilyFit> families) {
  Standardized out;
  for (const FamilyFit& family : families) {
    std::vector<const GpuFold*> folds;
    for (const GpuFold& fold : family.folds) {
      if (fold.split == kLeftOut) folds.push_back(&fold);
    }
    if (folds.size() < 2) continue;
    for (const GpuFold* fold : folds) {
      out.errors.push_back(typical_in_sds(*fold, family.width));
      out.devices.push_back(fold->device);
    }
  }
  return out;
}

double share(const Standardized& z) {
  PACELINE_ASSERT(!z.errors.empty(), "some families were measured on several devices");
  const ErrorParts parts = split_errors(z.errors, z.devices);
  const double common = parts.shared_sd * parts.shared_sd;
  const double all = common + parts.own_sd * parts.own_sd;
  return all > 0 ? common / all : 0;
}

}  // namespace

double common_share(std::span<const FamilyFit> families) { return share(standardized(families)); }

ParameterSet between_families(std::span<const FamilyFit> families) {
  const Standardized z = standardized(families);
  Fit fit;
  fit.implementation = "gpu.transfer";
  fit.formula = "gpu.transfer/1";
  fit.parameters = {{.name = "common_share", .value = share(z), .unit = "1"}};
  fit.quality.samples = static_cast<std::int64_t>(z.errors.size());
  ParameterSet out;
  out.device = "devices that were not measured";
  out.fits = {std::move(fit)};
  return out;
}

}  // namespace paceline
