#include "calibration/gpu/gpu_fit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "calibration/gpu/gpu_folds.h"
#include "calibration/gpu/same_chip.h"
#include "core/error.h"

namespace paceline {
namespace {

// Two public collections of the same kernels on the same GPU model differ by this much (3 to 8 % at
// the median): clocks, library versions, boards. No fit to one collection can be surer.
constexpr double kBetweenCollections = 0.05;

// The launch of a call contains the host's dispatch, which is not the kernel's.
void replace_launch(Fit& fit, const Fit& expected) {
  const std::size_t n = fit.parameters.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (fit.parameters[k].name != "launch") continue;
    fit.parameters[k] = expected.parameters[k];
    for (std::size_t j = 0; j < n; ++j) fit.covariance[k * n + j] = fit.covariance[j * n + k] = 0;
    fit.covariance[k * n + k] = expected.covariance[k * n + k];
  }
}

// Leaves each device out in turn; returns how wide the intervals of a further device must be.
IntervalWidth leave_one_out(const GpuPool& pool, const DeviceCatalog& catalog, FamilyFit& out) {
  std::vector<std::vector<UnseenShape>> folds;
  std::vector<std::string> devices;
  for (const auto& [device, observations] : pool.observations) {
    const std::string architecture = catalog.at(device).architecture;
    const Fit fit = pool.expected_of(device, architecture, pool.without(device));
    folds.push_back(score(fit, observations));
    devices.push_back(device);
  }
  if (folds.empty()) return {};
  state_sds_by_others(folds);
  const IntervalWidth width = width_of_devices(folds, folds.size() == 1 ? 1 : 0);
  for (std::size_t i = 0; i < folds.size(); ++i) {
    out.folds.push_back({devices[i], kLeftOut, std::move(folds[i])});
  }
  return width;
}

bool has_kin(const std::string& architecture, const std::vector<DeviceEstimate>& others) {
  return std::any_of(others.begin(), others.end(),
                     [&](const DeviceEstimate& e) { return e.architecture == architecture; });
}

// Leaves out every device of an architecture, where there are several.
void leave_architectures_out(const GpuPool& pool, const DeviceCatalog& catalog,
                             const IntervalWidth& width, FamilyFit& out) {
  for (const auto& [device, observations] : pool.observations) {
    const std::string architecture = catalog.at(device).architecture;
    if (!has_kin(architecture, pool.without(device))) continue;
    const Fit apart =
        pool.expected_of(device, architecture, pool.without_architecture(architecture));
    GpuFold fold{device, kNoKin, score(apart, observations)};
    state_sds(fold.shapes, width);
    out.folds.push_back(std::move(fold));
  }
}

// A device older than all in the pool reaches less of its peak than they lead to expect. How much
// less is known of one such case: the oldest in the pool, predicted from the others. ln of its
// typical predicted / measured; 0 for an architecture that is not older.
double trend_beyond(const FamilyFit& family, const DeviceCatalog& catalog,
                    const std::string& architecture) {
  constexpr std::size_t kFewestDevices = 3;  // fewer show no trend
  const GpuFold* oldest = nullptr;
  std::size_t devices = 0;
  for (const GpuFold& fold : family.folds) {
    if (fold.split != kLeftOut) continue;
    ++devices;
    const bool is_older =
        oldest == nullptr || catalog.at(fold.device).released < catalog.at(oldest->device).released;
    if (is_older) oldest = &fold;
  }
  if (devices < kFewestDevices) return 0;
  const bool has_kin = std::ranges::any_of(family.folds, [&](const GpuFold& fold) {
    return fold.split == kNoKin && fold.device == oldest->device;
  });
  if (has_kin) return 0;
  const std::int64_t first = catalog.at(oldest->device).released;
  for (const DeviceSpec& device : catalog.devices()) {
    if (device.architecture == architecture && device.released >= first) return 0;
  }
  return std::min(0.0, std::log(1 + oldest->errors().bias));
}

// One step further along the trend, and as unsure as the step is long.
void extrapolate(Fit& fit, double trend) {
  for (Parameter& parameter : fit.parameters) {
    if (parameter.name == "compute_share") parameter.value *= std::exp(trend);
  }
  fit.quality.shared_sd = std::hypot(fit.quality.shared_sd, trend);
}

// Errors of a device's own fit on the shapes it did not see, and intervals as wide as they ask for.
void assess_own_fit(const std::string& device, const std::vector<Observation>& observations,
                    FitResult& result, FamilyFit& out) {
  std::vector<Observation> held;
  for (std::size_t i = 0; i < result.samples.size(); ++i) {
    if (result.samples[i].held_out) held.push_back(observations[i]);
  }
  if (held.empty()) return;
  GpuFold fold{device, kOwnFit, score(result.fit, held)};
  set_width(result.fit, width_of_shapes(fold.shapes));
  state_sds_by_other_groups(fold.shapes);
  FitQuality& quality = result.fit.quality;
  quality.held_out_coverage90 = fold.coverage90();
  quality.shared_sd = std::hypot(quality.shared_sd, kBetweenCollections);
  out.folds.push_back(std::move(fold));
}

}  // namespace

FitResult fit_observations(const std::string& family,
                           const std::vector<GpuObservation>& observations,
                           const GpuFitOptions& options) {
  return fit_kernel(gpu_problem(family, gpu_priors(family, timing_of(observations)),
                                usable(observations, options.most_shapes)),
                    gpu_fit_options(options.starts));
}

FitResult fit_observations(const std::string& family,
                           const std::vector<GpuObservation>& observations, const Fit& expected,
                           const GpuFitOptions& options) {
  std::vector<FitParameter> priors = gpu_priors(family, timing_of(observations));
  for (std::size_t k = 0; k < priors.size(); ++k) {
    const Parameter& parameter = expected.parameters.at(k);
    PACELINE_ASSERT(parameter.name == priors[k].name, "a family's fits have the same parameters");
    if (priors[k].given) continue;
    constexpr double kSurest = 0.02;  // two GPUs of one model are not more alike
    priors[k].center = parameter.value;
    priors[k].prior_sd = std::max(kSurest, parameter.std_error);
  }
  return fit_kernel(
      gpu_problem(family, std::move(priors), usable(observations, options.most_shapes)),
      gpu_fit_options(options.starts));
}

FamilyFit fit_family(const std::string& family,
                     const std::map<std::string, std::vector<GpuObservation>>& devices,
                     const std::vector<AchievedShare>& achieved, const DeviceCatalog& catalog,
                     const GpuFitOptions& options) {
  FamilyFit out;
  out.family = family;
  const GpuPool pool = make_pool(family, devices, achieved, catalog, options);
  const IntervalWidth width = leave_one_out(pool, catalog, out);
  out.width = width;
  out.pairs_left_out = pairs_left_out(pool, catalog);
  leave_architectures_out(pool, catalog, width, out);
  std::set<std::string> architectures;
  for (const DeviceSpec& device : catalog.devices()) {
    if (device.kind == DeviceKind::kGpu) architectures.insert(device.architecture);
  }
  for (const std::string& architecture : architectures) {
    Fit fit = expected_fit(pool, architecture);
    set_width(fit, width);
    extrapolate(fit, trend_beyond(out, catalog, architecture));
    out.architectures[architecture] = std::move(fit);
  }
  for (const auto& [device, observations] : pool.observations) {
    const std::string architecture = catalog.at(device).architecture;
    const auto priors = pool.priors_for(device, architecture, pool.without(device));
    FitResult result =
        fit_kernel(gpu_problem(family, priors, observations), gpu_fit_options(options.starts));
    if (result.usable) assess_own_fit(device, observations, result, out);
    if (result.usable && pool.timing.at(device) == Timing::kCall) {
      Fit expected = out.architectures.at(architecture);
      scale_launch(expected, std::exp(pool.launch.at(device)));
      replace_launch(result.fit, expected);
    }
    out.devices[device] = std::move(result);
  }
  add_same_chip_folds(pool, catalog, out);
  add_nearest(pool.observations, catalog, out);
  out.measured = pool.observations;
  return out;
}

}  // namespace paceline
