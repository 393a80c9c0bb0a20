#include "calibration/gpu/same_chip.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "model/hardware/power_share.h"
#include "model/parameters/fold_residuals.h"

namespace paceline {
namespace {

constexpr double kLeast = 0.02;  // two boards of one model are not more alike

// What the typical error of a fold exceeds its stated error by, squared.
double unexplained(const GpuFold& fold) {
  std::vector<double> errors, variances;
  for (const UnseenShape& shape : fold.shapes) {
    errors.push_back(shape.log_error);
    variances.push_back(shape.parameter_variance);
  }
  const double typical = median(errors);
  return std::max(0.0, typical * typical - median(variances));
}

double sd_between(const std::vector<const GpuFold*>& folds) {
  std::vector<double> parts;
  for (const GpuFold* fold : folds) parts.push_back(unexplained(*fold));
  const double one_more = 1 + 1 / static_cast<double>(folds.size());
  return std::max(kLeast, std::sqrt(one_more * mean(parts)));
}

// The device itself is left out of the width it is held against.
void state_sds_by_other_devices(std::vector<GpuFold*>& folds) {
  for (GpuFold* fold : folds) {
    std::vector<const GpuFold*> others;
    for (const GpuFold* other : folds) {
      if (other->device != fold->device) others.push_back(other);
    }
    if (others.empty()) others = {fold};
    const double between = sd_between(others);
    for (UnseenShape& shape : fold->shapes) shape.sd = std::hypot(shape.sd, between);
  }
}

}  // namespace

void add_same_chip_folds(const GpuPool& pool, const DeviceCatalog& catalog, FamilyFit& family) {
  for (const auto& [device, observations] : pool.observations) {
    const auto& same_chip = catalog.at(device).same_chip;
    if (!same_chip) continue;
    const auto kin = std::ranges::find_if(same_chip->value, [&](const std::string& name) {
      const auto found = family.devices.find(name);
      return found != family.devices.end() && found->second.usable;
    });
    if (kin == same_chip->value.end()) continue;
    Fit fit = family.devices.at(*kin).fit;
    if (pool.timing.at(device) == Timing::kCall) add_dispatch(fit);
    scale_compute_share(fit, std::exp(pool.power.at(device) - pool.power.at(*kin)));
    family.folds.push_back({device, kSameChip, score(fit, observations)});
  }
}

ParameterSet between_boards(std::vector<FamilyFit>& families) {
  std::vector<GpuFold*> folds;
  for (FamilyFit& family : families) {
    for (GpuFold& fold : family.folds) {
      if (fold.split == kSameChip) folds.push_back(&fold);
    }
  }
  PACELINE_ASSERT(!folds.empty(), "some measured devices have the same chip");
  Fit fit;
  fit.implementation = "gpu.same_chip";
  fit.formula = "gpu.same_chip/1";
  fit.parameters = {
      {.name = "shared_sd", .value = sd_between({folds.begin(), folds.end()}), .unit = "1"}};
  fit.quality.samples = static_cast<std::int64_t>(folds.size());
  state_sds_by_other_devices(folds);
  ParameterSet out;
  out.device = "devices with the same chip";
  out.fits = {std::move(fit)};
  return out;
}

}  // namespace paceline
