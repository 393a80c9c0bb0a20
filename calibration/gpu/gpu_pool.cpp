#include "calibration/gpu/gpu_pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/cost/gpu_family.h"
#include "model/hardware/launch_latency.h"
#include "model/hardware/power_share.h"

namespace paceline {
namespace {

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

// A fit of the formula at what is expected.
Fit fit_at(const std::string& family, const std::vector<FitParameter>& priors,
           const Expectation& expectation) {
  Fit out;
  out.implementation = family;
  out.formula = gpu_problem(family, {}, {}).formula;
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

}  // namespace

std::vector<DeviceEstimate> GpuPool::without(const std::string& device) const {
  std::vector<DeviceEstimate> out;
  for (const DeviceEstimate& e : estimates) {
    if (e.device != device) out.push_back(e);
  }
  return out;
}

std::vector<DeviceEstimate> GpuPool::without_architecture(const std::string& architecture) const {
  std::vector<DeviceEstimate> out;
  for (const DeviceEstimate& e : estimates) {
    if (e.architecture != architecture) out.push_back(e);
  }
  return out;
}

Expectation GpuPool::expectation_of(const std::string& device, const std::string& architecture,
                                    const std::vector<DeviceEstimate>& from) const {
  Expectation out = expect(priors, from, architecture);
  for (std::size_t k = 0; k < priors.size(); ++k) {
    if (priors[k].name == "compute_share") out.centers[k] += power.at(device);
    if (priors[k].name == "launch") out.centers[k] += launch.at(device);
  }
  return out;
}

std::vector<FitParameter> GpuPool::priors_for(const std::string& device,
                                              const std::string& architecture,
                                              const std::vector<DeviceEstimate>& from) const {
  const Expectation expected = expectation_of(device, architecture, from);
  std::vector<FitParameter> out = gpu_priors(family, timing.at(device));
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (out[k].name == "launch" && timing.at(device) == Timing::kCall) continue;
    out[k].center = from_coordinate(out[k].scale, expected.centers[k]);
    out[k].prior_sd = expected.sds[k];
  }
  return out;
}

Fit GpuPool::expected_of(const std::string& device, const std::string& architecture,
                         const std::vector<DeviceEstimate>& from) const {
  Fit fit = fit_at(family, priors, expectation_of(device, architecture, from));
  if (timing.at(device) == Timing::kCall) add_dispatch(fit);
  return fit;
}

Fit expected_fit(const GpuPool& pool, const std::string& architecture) {
  return fit_at(pool.family, pool.priors, expect(pool.priors, pool.estimates, architecture));
}

void scale_launch(Fit& fit, double scale) {
  for (Parameter& p : fit.parameters) {
    if (p.name == "launch") p.value *= scale;
  }
}

void add_dispatch(Fit& fit) {
  const auto priors = gpu_priors(fit.implementation, Timing::kCall);
  const std::size_t n = priors.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (priors[k].name != "launch") continue;
    fit.parameters[k].value = priors[k].center;
    fit.covariance[k * n + k] = priors[k].prior_sd * priors[k].prior_sd;
  }
}

KernelProblem gpu_problem(const std::string& family, std::vector<FitParameter> priors,
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

KernelFitOptions gpu_fit_options(int starts) {
  KernelFitOptions out;
  out.solver.starts = starts;
  out.expected_scatter = 0.15;
  // A GPU library chooses among more kernels than any formula knows; the report says how well it
  // does, and a wide interval is more use than none.
  out.largest_scatter = 0.6;
  out.refit_on_all = false;
  return out;
}

GpuPool make_pool(const std::string& family,
                  const std::map<std::string, std::vector<GpuObservation>>& devices,
                  const std::vector<AchievedShare>& achieved, const DeviceCatalog& catalog,
                  const GpuFitOptions& options) {
  constexpr std::size_t kFewest = 20;
  GpuPool pool{.family = family,
               .priors = gpu_priors(family, Timing::kDevice),
               .observations = {},
               .timing = {},
               .estimates = {},
               .power = {},
               .launch = {}};
  for (const auto& [device, observations] : devices) {
    const Timing timing = timing_of(observations);
    std::vector<Observation> kept = usable(observations, options.most_shapes);
    if (kept.size() < kFewest) continue;
    const auto priors = gpu_priors(family, timing);
    const FitResult first =
        fit_kernel(gpu_problem(family, priors, kept), gpu_fit_options(options.starts));
    if (!first.usable) continue;
    const double power = std::log(power_share(catalog.at(device), catalog, family));
    const double launch = std::log(launch_scale(catalog.at(device), family));
    DeviceEstimate estimate = without_prior(device, architecture_of(catalog, device), priors,
                                            coordinates_of(first.fit), variances_of(first.fit));
    for (std::size_t k = 0; k < priors.size(); ++k) {
      if (priors[k].name == "launch" && timing == Timing::kCall) {
        estimate.variances[k] = std::numeric_limits<double>::infinity();
      }
      if (priors[k].name == "launch") estimate.coordinates[k] -= launch;
      if (priors[k].name == "compute_share") estimate.coordinates[k] -= power;
    }
    pool.power[device] = power;
    pool.launch[device] = launch;
    pool.estimates.push_back(std::move(estimate));
    pool.timing[device] = timing;
    pool.observations[device] = std::move(kept);
  }
  for (const AchievedShare& a : achieved) {
    if (a.family != family || pool.observations.contains(a.device)) continue;
    AchievedShare with_power = a;
    with_power.share /= power_share(catalog.at(a.device), catalog, family);
    pool.estimates.push_back(
        estimate_of(with_power, architecture_of(catalog, a.device), pool.priors));
  }
  return pool;
}

}  // namespace paceline
