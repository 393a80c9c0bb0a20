#include "calibration/collective/collective_ways.h"

#include <algorithm>
#include <cmath>

#include "calibration/collective/collective_residuals.h"
#include "calibration/fit/least_squares.h"
#include "core/error.h"
#include "core/units_text.h"

namespace paceline {
namespace {

using formula::CollectiveProtocol;

constexpr double kScatter = 0.05;  // expected sd of ln(predicted / measured)
constexpr int kIterations = 400;
constexpr double kTolerance = 1e-6;
constexpr std::size_t kFewestPoints = 2;  // for a way of running to be fitted
// Spread of ln(parameter) between operations that run by the same algorithm and protocol.
constexpr double kFamilySpread = 0.5;

NcclOption chosen(const CollectivePoint& point, const FabricGroup& fabric, const NcclTuning& tuning,
                  std::string& fit_name) {
  const auto options = tuning.options(point.op, point.bytes, point.group, fabric.graph);
  if (options.empty()) {
    const NcclOption option = tuning.exchange_option(point.op, point.bytes, point.group.ranks());
    fit_name = exchange_fit_name(point.op, option.protocol);
    return option;
  }
  fit_name = collective_fit_name(point.op, options[0].algorithm, options[0].protocol);
  return options[0];
}

// The cluster of the problem with the rate of the link that the point names.
ClusterSpec cluster_of(const CollectiveProblem& problem, const CollectivePoint& point) {
  ClusterSpec cluster = problem.cluster;
  if (point.link.empty()) return cluster;
  if (!cluster.network) {
    throw InputError("a message names the link \"" + point.link +
                     "\", and the machine that was described has no network");
  }
  const double factor = parse_bytes_per_second(point.link) / cluster.network->data_sheet;
  cluster.network->data_sheet *= factor;
  cluster.network->achieved *= factor;
  return cluster;
}

void widen(std::pair<double, double>& range, double value, bool first) {
  range = first ? std::pair(value, value)
                : std::pair(std::min(range.first, value), std::max(range.second, value));
}

LeastSquaresResult solve(const std::vector<const PreparedMessage*>& points,
                         const std::vector<FitParameter>& parameters, int starts) {
  CollectiveResiduals residuals;
  for (const PreparedMessage* p : points) residuals.add(p->input, p->point.measured.si());
  LeastSquaresOptions options;
  options.starts = starts;
  options.max_iterations = kIterations;
  options.tolerance = kTolerance;
  return solve_least_squares(parameters, residuals, std::vector<double>(points.size(), kScatter),
                             options);
}

// One way of running. Returns the reason if it cannot be fitted.
std::string fit_way(const std::string& name, const std::vector<const PreparedMessage*>& points,
                    const std::vector<FitParameter>& parameters, int starts, ParameterSet& set) {
  if (points.size() < kFewestPoints) {
    return name + ": " + std::to_string(points.size()) + " points, fewer than " +
           std::to_string(kFewestPoints);
  }
  Fit fit;
  for (const PreparedMessage* p : points) {
    const bool first = fit.domain.empty() || p == points.front();
    widen(fit.domain["bytes"], p->point.bytes.si(), first);
    widen(fit.domain["ranks"], p->point.group.ranks(), first);
  }
  const LeastSquaresResult solution = solve(points, parameters, starts);
  if (!solution.converged) return name + ": " + solution.termination;
  fit.implementation = name;
  fit.formula = CollectiveProtocol::kId;
  const std::size_t n = parameters.size();
  for (std::size_t k = 0; k < n; ++k) {
    fit.parameters.push_back({.name = parameters[k].name,
                              .value = solution.values[k],
                              .std_error = std::sqrt(solution.covariance[k * n + k]),
                              .unit = parameters[k].unit,
                              .scale = parameters[k].scale});
  }
  fit.covariance = solution.covariance;
  fit.quality.samples = static_cast<std::int64_t>(points.size());
  fit.quality.residual_sd = points.size() > 1 ? standard_deviation(solution.residuals) : 0;
  fit.quality.own_sd = fit.quality.residual_sd;
  fit.quality.refit_on_all = true;
  set.fits.push_back(std::move(fit));
  return "";
}

// Ways of running that share their mechanism, whatever the operation: "nccl.all-gather.ring.ll" is
// of "ring.ll". Empty for exchanges and host libraries, whose operations have little in common.
std::string family_of(const std::string& way) {
  if (!way.starts_with("nccl.") || way.find(".direct.") != std::string::npos) return "";
  return way.substr(way.find('.', 5) + 1);
}

// What is expected of the ways of a family: the fit of all their messages together, from which each
// may differ a little. A way with few messages then leans on the others.
std::map<std::string, std::vector<FitParameter>> family_priors(
    const std::vector<const PreparedMessage*>& points, int starts) {
  std::map<std::string, std::vector<const PreparedMessage*>> families;
  for (const PreparedMessage* point : points) families[family_of(point->fit_name)].push_back(point);
  std::map<std::string, std::vector<FitParameter>> priors;
  for (const auto& [name, of_family] : families) {
    std::vector<FitParameter> parameters = collective_fit_parameters(false);
    if (name.empty() || of_family.size() < kFewestPoints) continue;
    const LeastSquaresResult solution = solve(of_family, parameters, starts);
    if (!solution.converged) continue;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      parameters[k].center = solution.values[k];
      parameters[k].prior_sd = std::min(parameters[k].prior_sd, kFamilySpread);
    }
    priors[name] = std::move(parameters);
  }
  return priors;
}

}  // namespace

std::vector<PreparedMessage> prepare_messages(const CollectiveProblem& problem,
                                              const std::vector<CollectivePoint>& points,
                                              const NcclTuning& tuning, const HostTuning& hosts) {
  std::map<std::tuple<int, int, std::string>, FabricGroup> fabrics;
  std::vector<PreparedMessage> out;
  for (const CollectivePoint& point : points) {
    const std::tuple key(point.group.machines, point.group.per_machine, point.link);
    if (!fabrics.contains(key)) {
      fabrics[key] = fabric_group(cluster_of(problem, point), point.group, problem.staging, tuning,
                                  problem.generation, problem.connections);
      fabrics[key].fabric_class = problem.fabric_class;
    }
    PreparedMessage ready{point, fabrics[key], "", {}};
    const BytesPerSecond rate = bus_rate_of(point.op, ready.fabric);
    if (point.library == "nccl") {
      const NcclOption option = chosen(point, ready.fabric, tuning, ready.fit_name);
      ready.input = protocol_input(point.op, point.bytes, point.group, option, rate);
    } else {
      const HostChoice choice =
          hosts.choose(point.library, point.op, point.bytes, point.group.ranks());
      ready.fit_name = host_fit_name(point.library, point.op, choice);
      ready.input = host_input(point.op, choice.algorithm, point.bytes, point.group.ranks(), rate);
    }
    out.push_back(std::move(ready));
  }
  return out;
}

ParameterSet fit_ways(const CollectiveProblem& problem,
                      const std::vector<const PreparedMessage*>& points, int starts,
                      std::vector<std::string>& refused) {
  std::map<std::string, std::vector<const PreparedMessage*>> ways;
  for (const PreparedMessage* point : points) ways[point->fit_name].push_back(point);
  const auto priors = family_priors(points, starts);
  ParameterSet set;
  set.device = problem.fabric_class;
  for (const auto& [name, of_way] : ways) {
    const auto prior = priors.find(family_of(name));
    const std::vector<FitParameter> parameters =
        prior != priors.end() ? prior->second
                              : collective_fit_parameters(!name.starts_with("nccl."));
    const std::string reason = fit_way(name, of_way, parameters, starts, set);
    if (!reason.empty()) refused.push_back(reason);
  }
  return set;
}

}  // namespace paceline
