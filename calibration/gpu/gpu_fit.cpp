#include "calibration/gpu/gpu_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/error.h"
#include "model/cost/fitted.h"
#include "model/cost/formulas.h"
#include "model/cost/gpu_family.h"

namespace paceline {
namespace {

// Two public collections of the same kernels on the same GPU model differ by this much (3 to 8 % at
// the median): clocks, library versions, boards. No fit to one collection can be surer.
constexpr double kBetweenCollections = 0.05;

std::string architecture_of(const DeviceCatalog& catalog, const std::string& device) {
  return catalog.at(device).architecture;
}

std::vector<double> coordinates_of(const Fit& fit) {
  std::vector<double> out;
  for (const Parameter& p : fit.parameters) out.push_back(to_coordinate(p.scale, p.value));
  return out;
}

std::vector<double> variances_of(const Fit& fit) {
  std::vector<double> out;
  for (const Parameter& p : fit.parameters) out.push_back(p.std_error * p.std_error);
  return out;
}

std::vector<double> values_of(const std::vector<FitParameter>& priors,
                              const std::vector<double>& coordinates) {
  std::vector<double> out;
  for (std::size_t k = 0; k < priors.size(); ++k) {
    out.push_back(from_coordinate(priors[k].scale, coordinates[k]));
  }
  return out;
}

std::vector<double> diagonal(const std::vector<double>& sds) {
  std::vector<double> out(sds.size() * sds.size(), 0.0);
  for (std::size_t k = 0; k < sds.size(); ++k) out[k * sds.size() + k] = sds[k] * sds[k];
  return out;
}

KernelFitOptions fit_options(int starts) {
  KernelFitOptions out;
  out.solver.starts = starts;
  out.expected_scatter = 0.15;
  // A GPU library chooses among more kernels than any formula knows; the report says how well it
  // does, and a wide interval is more use than none.
  out.largest_scatter = 0.6;
  out.refit_on_all = false;
  return out;
}

KernelProblem problem_of(const std::string& family, std::vector<FitParameter> priors,
                         std::vector<Observation> observations) {
  const auto families = gpu_families();
  const auto found = std::find_if(families.begin(), families.end(),
                                  [&](const GpuFamily& f) { return f.name == family; });
  return {.implementation = family,
          .formula = std::string(found->formula),
          .parameters = std::move(priors),
          .observations = std::move(observations),
          .alternatives = {}};
}

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

Fit expected_fit(const std::string& family, const std::vector<FitParameter>& priors,
                 const Expectation& expectation) {
  Fit out;
  out.implementation = family;
  out.formula = problem_of(family, {}, {}).formula;
  const std::vector<double> values = values_of(priors, expectation.centers);
  for (std::size_t k = 0; k < priors.size(); ++k) {
    out.parameters.push_back({.name = priors[k].name,
                              .value = values[k],
                              .std_error = expectation.sds[k],
                              .unit = priors[k].unit,
                              .scale = priors[k].scale});
  }
  out.covariance = diagonal(expectation.sds);
  return out;
}

// To be compared with timings of calls, a prediction needs the dispatch that they contain.
void add_dispatch(Fit& fit) {
  const auto priors = gpu_priors(fit.implementation, Timing::kCall);
  const std::size_t n = priors.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (priors[k].name != "launch") continue;
    fit.parameters[k].value = priors[k].center;
    fit.covariance[k * n + k] = priors[k].prior_sd * priors[k].prior_sd;
  }
}

// Everything known of a family's measured devices.
struct Pool {
  std::string family;
  std::vector<FitParameter> priors;  // of timings of the device
  std::map<std::string, std::vector<Observation>> observations;
  std::map<std::string, Timing> timing;
  std::vector<DeviceEstimate> estimates;

  std::vector<DeviceEstimate> without(const std::string& device) const {
    std::vector<DeviceEstimate> out;
    for (const DeviceEstimate& e : estimates) {
      if (e.device != device) out.push_back(e);
    }
    return out;
  }
  std::vector<DeviceEstimate> without_architecture(const std::string& architecture) const {
    std::vector<DeviceEstimate> out;
    for (const DeviceEstimate& e : estimates) {
      if (e.architecture != architecture) out.push_back(e);
    }
    return out;
  }
  // What is expected of `device` from the others, with the dispatch that its timings contain.
  Fit expected_of(const std::string& device, const std::string& architecture,
                  const std::vector<DeviceEstimate>& from) const;
  // Priors of a device's fit from the pool; its launch keeps the belief about its kind of timing.
  std::vector<FitParameter> priors_for(const std::string& device, const std::string& architecture,
                                       const std::vector<DeviceEstimate>& from) const {
    const Expectation expected = expect(priors, from, architecture);
    std::vector<FitParameter> out = gpu_priors(family, timing.at(device));
    for (std::size_t k = 0; k < out.size(); ++k) {
      if (out[k].name == "launch" && timing.at(device) == Timing::kCall) continue;
      out[k].center = from_coordinate(out[k].scale, expected.centers[k]);
      out[k].prior_sd = expected.sds[k];
    }
    return out;
  }
};

Fit Pool::expected_of(const std::string& device, const std::string& architecture,
                      const std::vector<DeviceEstimate>& from) const {
  Fit fit = expected_fit(family, priors, expect(priors, from, architecture));
  if (timing.at(device) == Timing::kCall) add_dispatch(fit);
  return fit;
}

// The largest products run in the largest tiles, whose operand traffic `compute_share` leaves out.
DeviceEstimate estimate_of(const AchievedShare& achieved, std::string architecture,
                           const std::vector<FitParameter>& priors) {
  constexpr double kVariance = 0.1 * 0.1;  // the traffic of the tile is itself only a prior
  constexpr double kTraffic = 1.0 / 256 + 1.0 / 128;
  const auto feed = std::find_if(priors.begin(), priors.end(),
                                 [](const FitParameter& p) { return p.name == "feed"; });
  DeviceEstimate out{achieved.device, std::move(architecture), {}, {}};
  for (const FitParameter& p : priors) {
    const bool known = p.name == "compute_share";
    out.coordinates.push_back(known ? std::log(achieved.share * (1 + feed->center * kTraffic))
                                    : 0.0);
    out.variances.push_back(known ? kVariance : std::numeric_limits<double>::infinity());
  }
  return out;
}

Pool make_pool(const std::string& family,
               const std::map<std::string, std::vector<GpuObservation>>& devices,
               const std::vector<AchievedShare>& achieved, const DeviceCatalog& catalog,
               const GpuFitOptions& options) {
  constexpr std::size_t kFewest = 20;
  Pool pool{.family = family,
            .priors = gpu_priors(family, Timing::kDevice),
            .observations = {},
            .timing = {},
            .estimates = {}};
  for (const auto& [device, observations] : devices) {
    const Timing timing = timing_of(observations);
    std::vector<Observation> kept = usable(observations, options.most_shapes);
    if (kept.size() < kFewest) continue;
    const auto priors = gpu_priors(family, timing);
    const FitResult first =
        fit_kernel(problem_of(family, priors, kept), fit_options(options.starts));
    if (!first.usable) continue;
    DeviceEstimate estimate = without_prior(device, architecture_of(catalog, device), priors,
                                            coordinates_of(first.fit), variances_of(first.fit));
    for (std::size_t k = 0; k < priors.size(); ++k) {
      if (priors[k].name == "launch" && timing == Timing::kCall) {
        estimate.variances[k] = std::numeric_limits<double>::infinity();
      }
    }
    pool.estimates.push_back(std::move(estimate));
    pool.timing[device] = timing;
    pool.observations[device] = std::move(kept);
  }
  for (const AchievedShare& a : achieved) {
    if (a.family != family || pool.observations.contains(a.device)) continue;
    pool.estimates.push_back(estimate_of(a, architecture_of(catalog, a.device), pool.priors));
  }
  return pool;
}

// Leaves each device out in turn; returns how wide the intervals of a further device must be.
IntervalWidth leave_one_out(const Pool& pool, const DeviceCatalog& catalog, FamilyFit& out) {
  std::vector<std::vector<UnseenShape>> folds;
  for (const auto& [device, observations] : pool.observations) {
    const std::string architecture = architecture_of(catalog, device);
    const auto others = pool.without(device);
    const Score scored = score(pool.expected_of(device, architecture, others), observations);
    const Fit apart =
        pool.expected_of(device, architecture, pool.without_architecture(architecture));
    const bool kin = std::any_of(others.begin(), others.end(), [&](const DeviceEstimate& e) {
      return e.architecture == architecture;
    });
    TransferErrors errors;
    errors.device = device;
    errors.architecture_seen = kin;
    errors.transferred = scored.predicted;
    errors.without_kin = score(apart, observations).predicted;
    errors.roofline = scored.roofline;
    errors.alone = pool.observations.size() == 1;
    out.errors.push_back(std::move(errors));
    folds.push_back(scored.shapes);
  }
  if (folds.empty()) return {};
  const std::vector<double> coverage = coverage_by_others(folds);
  for (std::size_t i = 0; i < folds.size(); ++i) {
    out.errors[i].transferred_coverage90 = coverage[i];
  }
  return width_of_devices(folds, folds.size() == 1 ? 1 : 0);
}

// A device older than all in the pool reaches less of its peak than they lead to expect. How much
// less is known of one such case: the oldest in the pool, predicted from the others. ln of its
// typical predicted / measured; 0 for an architecture that is not older.
double trend_beyond(const FamilyFit& family, const DeviceCatalog& catalog,
                    const std::string& architecture) {
  constexpr std::size_t kFewestDevices = 3;  // fewer show no trend
  if (family.errors.size() < kFewestDevices) return 0;
  const TransferErrors* oldest = nullptr;
  for (const TransferErrors& errors : family.errors) {
    const bool is_older = oldest == nullptr ||
                          catalog.at(errors.device).released < catalog.at(oldest->device).released;
    if (is_older) oldest = &errors;
  }
  if (oldest == nullptr || oldest->architecture_seen) return 0;
  const std::int64_t first = catalog.at(oldest->device).released;
  for (const DeviceSpec& device : catalog.devices()) {
    if (device.architecture == architecture && device.released >= first) return 0;
  }
  return std::min(0.0, std::log(1 + oldest->transferred.bias));
}

// One step further along the trend, and as unsure as the step is long.
void extrapolate(Fit& fit, double trend) {
  for (Parameter& parameter : fit.parameters) {
    if (parameter.name == "compute_share") parameter.value *= std::exp(trend);
  }
  fit.quality.shared_sd = std::hypot(fit.quality.shared_sd, trend);
}

// The shapes that the device's own fit did not see, by that fit.
Score score_held_out(const FitResult& result, const std::vector<Observation>& observations) {
  std::vector<Observation> held;
  for (std::size_t i = 0; i < result.samples.size(); ++i) {
    if (result.samples[i].held_out) held.push_back(observations[i]);
  }
  return held.empty() ? Score{} : score(result.fit, held);
}

// Errors of a device's own fit on what it did not see, and intervals as wide as they ask for.
void assess_own_fit(FitResult& result, const std::vector<Observation>& observations,
                    TransferErrors& errors) {
  const Score scored = score_held_out(result, observations);
  if (scored.shapes.empty()) return;
  errors.held_out = scored.predicted;
  errors.held_out_coverage90 = coverage_by_other_groups(scored.shapes);
  set_width(result.fit, width_of_shapes(scored.shapes));
  result.fit.quality.held_out_coverage90 = errors.held_out_coverage90;
  FitQuality& quality = result.fit.quality;
  quality.shared_sd = std::hypot(quality.shared_sd, kBetweenCollections);
}

}  // namespace

FitResult fit_observations(const std::string& family,
                           const std::vector<GpuObservation>& observations,
                           const GpuFitOptions& options) {
  return fit_kernel(problem_of(family, gpu_priors(family, timing_of(observations)),
                               usable(observations, options.most_shapes)),
                    fit_options(options.starts));
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
      problem_of(family, std::move(priors), usable(observations, options.most_shapes)),
      fit_options(options.starts));
}

FamilyFit fit_family(const std::string& family,
                     const std::map<std::string, std::vector<GpuObservation>>& devices,
                     const std::vector<AchievedShare>& achieved, const DeviceCatalog& catalog,
                     const GpuFitOptions& options) {
  FamilyFit out;
  out.family = family;
  const Pool pool = make_pool(family, devices, achieved, catalog, options);
  const IntervalWidth width = leave_one_out(pool, catalog, out);
  std::set<std::string> architectures;
  for (const DeviceSpec& device : catalog.devices()) {
    if (device.kind == DeviceKind::kGpu) architectures.insert(device.architecture);
  }
  for (const std::string& architecture : architectures) {
    Fit fit = expected_fit(family, pool.priors, expect(pool.priors, pool.estimates, architecture));
    set_width(fit, width);
    extrapolate(fit, trend_beyond(out, catalog, architecture));
    out.architectures[architecture] = std::move(fit);
  }
  for (const auto& [device, observations] : pool.observations) {
    const std::string architecture = architecture_of(catalog, device);
    const auto priors = pool.priors_for(device, architecture, pool.without(device));
    FitResult result =
        fit_kernel(problem_of(family, priors, observations), fit_options(options.starts));
    for (TransferErrors& errors : out.errors) {
      if (errors.device == device && result.usable) assess_own_fit(result, observations, errors);
    }
    if (result.usable && pool.timing.at(device) == Timing::kCall) {
      replace_launch(result.fit, out.architectures.at(architecture));
    }
    out.devices[device] = std::move(result);
  }
  return out;
}

}  // namespace paceline
