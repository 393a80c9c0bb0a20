#include "calibration/gpu/gpu_folds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "calibration/gpu/device_ranking.h"

namespace paceline {
namespace {

double distance(const DeviceSpec& a, const DeviceSpec& b) {
  const double peaks = std::abs(std::log(a.vector_peak.value / b.vector_peak.value));
  const double rates = std::abs(std::log(a.memory.bandwidth.value / b.memory.bandwidth.value));
  constexpr double kForeign = 100;  // any device of the architecture is nearer
  return peaks + rates + (a.architecture == b.architecture ? 0 : kForeign);
}

FoldResiduals residuals_of(const std::string& family, const GpuFold& fold, bool has_nearest) {
  FoldResiduals out{.family = family,
                    .device = fold.device,
                    .split = std::string(fold.split),
                    .error = {},
                    .sd = {},
                    .roofline = {},
                    .nearest = {}};
  for (const UnseenShape& shape : fold.shapes) {
    out.error.push_back(shape.log_error);
    out.sd.push_back(shape.sd);
    out.roofline.push_back(shape.log_roofline);
    if (has_nearest) out.nearest.push_back(shape.log_nearest);
  }
  return out;
}

std::vector<std::string> notes_of(const FamilyFit& family) {
  std::vector<std::string> out;
  if (!family.note.empty()) out.push_back(family.note);
  for (const auto& [device, result] : family.devices) {
    if (!result.usable) out.push_back("No fit of " + device + ": " + result.termination + ".");
  }
  return out;
}

}  // namespace

void add_nearest(const std::map<std::string, std::vector<Observation>>& measured,
                 const DeviceCatalog& catalog, FamilyFit& family) {
  std::map<std::string, double> above;
  for (const auto& [device, observations] : measured) {
    above[device] = median(above_roofline(observations));
  }
  for (GpuFold& fold : family.folds) {
    double nearest = std::numeric_limits<double>::infinity();
    double ratio = 0;
    for (const auto& [device, typical] : above) {
      const double apart = distance(catalog.at(fold.device), catalog.at(device));
      if (device == fold.device || apart >= nearest) continue;
      nearest = apart;
      ratio = typical;
    }
    if (!std::isfinite(nearest)) continue;
    for (UnseenShape& shape : fold.shapes) shape.log_nearest = shape.log_roofline + ratio;
  }
}

FoldResidualFile published_folds(const std::vector<FamilyFit>& families) {
  FoldResidualFile out;
  const auto add = [&out](DeviceRanking ranking) {
    if (ranking.pairs > 0) out.rankings.push_back(std::move(ranking));
  };
  for (const FamilyFit& family : families) {
    std::set<std::string> devices;
    for (const GpuFold& fold : family.folds) devices.insert(fold.device);
    for (const GpuFold& fold : family.folds) {
      out.folds.push_back(residuals_of(family.family, fold, devices.size() > 1));
    }
    for (const std::string_view split : {kOwnFit, kLeftOut}) {
      add(ranking_of(family.family, split, pairs_of_folds(family.folds, split)));
    }
    add(ranking_of(family.family, kBothLeftOut, family.pairs_left_out));
    const std::vector<std::string> notes = notes_of(family);
    if (!notes.empty()) out.notes[family.family] = notes;
  }
  return out;
}

}  // namespace paceline
