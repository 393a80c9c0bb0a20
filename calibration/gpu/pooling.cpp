#include "calibration/gpu/pooling.h"

#include <cmath>
#include <limits>

#include "core/error.h"

namespace paceline {
namespace {

constexpr double kWithinShare = 0.25;     // w
constexpr double kPriorDevices = 2;       // how many devices the prior's spread counts as
constexpr double kSmallestSpread = 0.05;  // two boards of one model differ by this much

struct Spread {
  double mean = 0;
  double mean_variance = 0;
  double tau2 = 0;
};

// Mean and spread of one coordinate by expectation maximisation; 50 rounds are far more than the
// handful of devices need.
Spread spread_of(const FitParameter& prior, const std::vector<DeviceEstimate>& estimates,
                 std::size_t k) {
  const double prior_center = to_coordinate(prior.scale, prior.center);
  const double prior_variance = prior.prior_sd * prior.prior_sd;
  Spread out{prior_center, prior_variance, prior_variance};
  for (int round = 0; round < 50; ++round) {
    double weight = 1 / prior_variance;
    double sum = prior_center / prior_variance;
    for (const DeviceEstimate& e : estimates) {
      if (!std::isfinite(e.variances[k])) continue;
      weight += 1 / (out.tau2 + e.variances[k]);
      sum += e.coordinates[k] / (out.tau2 + e.variances[k]);
    }
    out.mean = sum / weight;
    out.mean_variance = 1 / weight;
    double squares = kPriorDevices * prior_variance;
    double devices = kPriorDevices;
    for (const DeviceEstimate& e : estimates) {
      if (!std::isfinite(e.variances[k])) continue;
      const double kept = out.tau2 / (out.tau2 + e.variances[k]);
      const double offset = kept * (e.coordinates[k] - out.mean);
      squares += offset * offset + kept * e.variances[k];
      devices += 1;
    }
    out.tau2 = std::fmax(kSmallestSpread * kSmallestSpread, squares / devices);
  }
  return out;
}

}  // namespace

DeviceEstimate without_prior(std::string device, std::string architecture,
                             const std::vector<FitParameter>& priors,
                             const std::vector<double>& coordinates,
                             const std::vector<double>& variances) {
  constexpr double kLeastInformation = 0.05;  // of the prior's, below which nothing was learnt
  DeviceEstimate out{std::move(device), std::move(architecture), coordinates, variances};
  for (std::size_t k = 0; k < priors.size(); ++k) {
    const double of_prior = 1 / (priors[k].prior_sd * priors[k].prior_sd);
    const double learnt = variances[k] > 0 ? 1 / variances[k] - of_prior : 0;
    if (learnt < kLeastInformation * of_prior) {
      out.variances[k] = std::numeric_limits<double>::infinity();
      continue;
    }
    const double center = to_coordinate(priors[k].scale, priors[k].center);
    out.coordinates[k] = (coordinates[k] / variances[k] - center * of_prior) / learnt;
    out.variances[k] = 1 / learnt;
  }
  return out;
}

Expectation expect(const std::vector<FitParameter>& priors,
                   const std::vector<DeviceEstimate>& estimates, const std::string& architecture) {
  Expectation out;
  for (std::size_t k = 0; k < priors.size(); ++k) {
    const Spread spread = spread_of(priors[k], estimates, k);
    const double between = (1 - kWithinShare) * spread.tau2;
    const double within = kWithinShare * spread.tau2;
    double weight = 1 / between;
    double sum = spread.mean / between;
    for (const DeviceEstimate& e : estimates) {
      if (e.architecture != architecture || !std::isfinite(e.variances[k])) continue;
      weight += 1 / (within + e.variances[k]);
      sum += e.coordinates[k] / (within + e.variances[k]);
    }
    const double of_mean = 1 / (between * weight);  // share of the centre that is the overall mean
    out.centers.push_back(sum / weight);
    out.sds.push_back(std::sqrt(1 / weight + within + of_mean * of_mean * spread.mean_variance));
  }
  return out;
}

}  // namespace paceline
