#include "calibration/fit/kernel_fit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "calibration/report/fit_report.h"
#include "calibration/selection/error_parts.h"
#include "calibration/selection/split.h"
#include "core/error.h"
#include "core/percent.h"
#include "core/statistics.h"
#include "core/units_text.h"
#include "model/cost/fitted.h"
#include "model/cost/formulas.h"
#include "model/cost/shape_quantities.h"

namespace paceline {
namespace {

struct Solution {
  std::vector<FitParameter> parameters;
  LeastSquaresResult result;
};

std::vector<double> sigmas(const std::vector<Observation>& observations, double scatter) {
  std::vector<double> out;
  for (const Observation& o : observations) out.push_back(std::hypot(scatter, o.noise));
  return out;
}

// Solves twice: with the expected scatter, then with the one found, so that priors and data are
// weighed by how far the formula really is from the data.
LeastSquaresResult solve(const KernelProblem& problem, const std::vector<FitParameter>& parameters,
                         const std::vector<Observation>& observations,
                         const KernelFitOptions& options) {
  constexpr double kSmallestScatter = 0.01;
  const auto functions = formula_residuals(problem.formula, observations);
  const auto first = solve_least_squares(
      parameters, *functions, sigmas(observations, options.expected_scatter), options.solver);
  if (first.residuals.empty()) return first;
  const double scatter = std::clamp(robust_scale(first.residuals), kSmallestScatter, 1.0);
  return solve_least_squares(parameters, *functions, sigmas(observations, scatter), options.solver);
}

std::vector<FitParameter> with_alternative(std::vector<FitParameter> parameters,
                                           const std::map<std::string, double>& alternative) {
  for (FitParameter& p : parameters) {
    const auto found = alternative.find(p.name);
    if (found == alternative.end()) continue;
    p.center = found->second;
    p.scale = ParameterScale::kLinear;
    p.given = true;
  }
  return parameters;
}

// The alternative whose residuals are smallest; by their robust scale, because the cost depends on
// the scatter it was weighed with.
Solution solve_best(const KernelProblem& problem, const std::vector<Observation>& observations,
                    const KernelFitOptions& options) {
  if (problem.alternatives.empty()) {
    return {problem.parameters, solve(problem, problem.parameters, observations, options)};
  }
  const auto functions = formula_residuals(problem.formula, observations);
  const auto sigma = sigmas(observations, options.expected_scatter);
  LeastSquaresOptions quick = options.solver;
  quick.starts = 1;
  std::vector<FitParameter> best;
  double best_cost = 0;
  for (const auto& alternative : problem.alternatives) {
    auto parameters = with_alternative(problem.parameters, alternative);
    const auto result = solve_least_squares(parameters, *functions, sigma, quick);
    if (result.residuals.empty() || (!best.empty() && result.cost >= best_cost)) continue;
    best = std::move(parameters);
    best_cost = result.cost;
  }
  if (best.empty()) best = with_alternative(problem.parameters, problem.alternatives.front());
  auto result = solve(problem, best, observations, options);
  return {std::move(best), std::move(result)};
}

Fit to_fit(const KernelProblem& problem, const Solution& solution) {
  Fit fit;
  fit.implementation = problem.implementation;
  fit.formula = problem.formula;
  const std::size_t n = solution.parameters.size();
  for (std::size_t k = 0; k < n; ++k) {
    const FitParameter& p = solution.parameters[k];
    const double variance = solution.result.covariance[k * n + k];
    fit.parameters.push_back({.name = p.name,
                              .value = solution.result.values[k],
                              .std_error = p.given ? 0 : std::sqrt(std::max(0.0, variance)),
                              .unit = p.unit,
                              .scale = p.scale});
  }
  fit.covariance = solution.result.covariance;
  for (const Observation& o : problem.observations) {
    for (const auto& [quantity, value] : shape_quantities(o.kernel, o.context)) {
      const auto [range, is_new] = fit.domain.try_emplace(quantity, value, value);
      range->second.first = std::min(range->second.first, value);
      range->second.second = std::max(range->second.second, value);
    }
  }
  return fit;
}

double predict(const KernelProblem& problem, const Solution& solution, const Observation& o) {
  return kernel_formula(problem.formula)
      .evaluate(o.kernel, o.context, solution.result.values.data())
      .total;
}

// For each observation, whether its shape is held out.
std::vector<bool> held_out(const std::vector<Observation>& observations) {
  std::set<std::string> shapes;
  for (const Observation& o : observations) shapes.insert(fitted_shape_text(o.kernel));
  const std::set<std::string> held = held_out_shapes(shapes);
  std::vector<bool> out;
  for (const Observation& o : observations)
    out.push_back(held.contains(fitted_shape_text(o.kernel)));
  return out;
}

// Errors of `solution`, which saw the shapes that are not held out, on both halves.
void assess(const KernelProblem& problem, const Solution& solution, const std::vector<bool>& held,
            FitResult& out) {
  std::vector<double> predicted, measured, residuals;
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const Observation& o = problem.observations[i];
    const double time = predict(problem, solution, o);
    out.samples.push_back(
        {to_string(o.kernel.shape), o.context.threads, o.measured.si(), time, bool{held[i]}});
    if (!held[i]) continue;
    predicted.push_back(time);
    measured.push_back(o.measured.si());
    residuals.push_back(std::log(time / o.measured.si()));
    groups.push_back(o.group);
  }
  FitQuality& quality = out.fit.quality;
  quality.samples = static_cast<std::int64_t>(problem.observations.size());
  quality.residual_sd = robust_scale(solution.result.residuals);
  if (residuals.empty()) {  // too few shapes to hold any out: the fitted ones must do
    residuals = solution.result.residuals;
    for (const Observation& o : problem.observations) groups.push_back(o.group);
  } else {
    const ErrorSummary errors = summarize_errors(predicted, measured);
    quality.held_out = static_cast<std::int64_t>(errors.count);
    quality.held_out_mape = errors.mape;
    quality.held_out_median_ape = errors.median_ape;
    quality.held_out_p90_ape = errors.p90_ape;
    quality.held_out_bias = errors.bias;
  }
  const ErrorParts parts = split_errors(residuals, groups);
  quality.shared_sd = parts.shared_sd;
  quality.own_sd = parts.own_sd;
}

// Share of held-out shapes whose measured time lies in the 90 % interval of their prediction.
double coverage90(const KernelProblem& problem, const Solution& solution,
                  const std::vector<bool>& held, const FitResult& result) {
  const double z90 = normal_quantile(0.95);
  std::vector<ParameterScale> scales;
  for (const FitParameter& p : solution.parameters) scales.push_back(p.scale);
  const FitQuality& quality = result.fit.quality;
  double inside = 0, count = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (!held[i]) continue;
    const Observation& o = problem.observations[i];
    const double variance =
        parameter_variance(kernel_formula(problem.formula), o.kernel, o.context,
                           solution.result.values, scales, solution.result.covariance) +
        quality.shared_sd * quality.shared_sd + quality.own_sd * quality.own_sd;
    const double residual = std::log(predict(problem, solution, o) / o.measured.si());
    inside += std::abs(residual) <= z90 * std::sqrt(variance) ? 1 : 0;
    count += 1;
  }
  return count > 0 ? inside / count : 0;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

std::string misfit(const std::string& what, double error) {
  return "the formula does not describe these measurements: " + what + " " + percent(error);
}

constexpr std::int64_t kEnough = 12;  // the median of fewer held-out shapes says little

// Of a fit that is not refused.
std::string doubt(const FitQuality& quality, const KernelFitOptions& options) {
  if (quality.held_out == 0 || quality.held_out_median_ape <= options.largest_held_out_error) {
    return "";
  }
  return "typical error " + percent(quality.held_out_median_ape) + " on " +
         std::to_string(quality.held_out) + " held-out " +
         (quality.held_out == 1 ? "shape" : "shapes") + ", of which " + std::to_string(kEnough) +
         " would refuse it";
}

// Why the fit cannot be used, or "".
std::string refusal(const Solution& solution, const FitQuality& quality,
                    const KernelFitOptions& options) {
  if (!solution.result.converged) return solution.result.termination;
  if (!solution.result.required_but_unknown.empty()) {
    return "not identified by these measurements: " + joined(solution.result.required_but_unknown);
  }
  const double scatter = robust_scale(solution.result.residuals);
  if (scatter > options.largest_scatter) return misfit("typical error", scatter);
  if (quality.held_out >= kEnough && quality.held_out_median_ape > options.largest_held_out_error) {
    return misfit("typical error on held-out shapes", quality.held_out_median_ape);
  }
  if (quality.held_out > 0 && quality.held_out_mape > options.largest_mean_error) {
    return misfit("mean error on held-out shapes", quality.held_out_mape);
  }
  return "";
}

}  // namespace

FitResult fit_kernel(const KernelProblem& problem, const KernelFitOptions& options) {
  FitResult out;
  out.fit.implementation = problem.implementation;
  out.fit.formula = problem.formula;
  std::vector<Observation> seen;
  std::set<std::string> shapes, seen_shapes;
  const std::vector<bool> held = held_out(problem.observations);
  for (std::size_t i = 0; i < held.size(); ++i) {
    const Observation& o = problem.observations[i];
    shapes.insert(to_string(o.kernel.shape));
    if (held[i]) continue;
    seen.push_back(o);
    seen_shapes.insert(to_string(o.kernel.shape));
  }
  const auto unknowns = std::count_if(problem.parameters.begin(), problem.parameters.end(),
                                      [](const FitParameter& p) { return p.required; });
  // Two points show no curve, whatever the priors make of them.
  constexpr std::ptrdiff_t kFewestShapes = 3;
  const std::ptrdiff_t needed = std::max<std::ptrdiff_t>(kFewestShapes, unknowns + 1);
  if (static_cast<std::ptrdiff_t>(seen_shapes.size()) < needed) {
    out.termination = "too few shapes: " + std::to_string(shapes.size()) + " measured, " +
                      std::to_string(seen_shapes.size()) + " of them for the fit, which needs " +
                      std::to_string(needed);
    out.report = problem.implementation + ": refused, " + out.termination + "\n";
    return out;
  }

  Solution solution = solve_best(problem, seen, options);
  if (!solution.result.covariance.empty()) {
    out.fit = to_fit(problem, solution);
    assess(problem, solution, held, out);
    out.fit.quality.held_out_coverage90 = coverage90(problem, solution, held, out);
  }
  if (options.refit_on_all && solution.result.converged) {
    KernelProblem chosen = problem;
    chosen.parameters = solution.parameters;
    chosen.alternatives.clear();
    const FitQuality quality = out.fit.quality;
    solution = solve_best(chosen, problem.observations, options);
    if (!solution.result.covariance.empty()) out.fit = to_fit(problem, solution);
    out.fit.quality = quality;
    out.fit.quality.refit_on_all = true;
  }
  const std::string reason = refusal(solution, out.fit.quality, options);
  out.usable = reason.empty();
  out.termination = out.usable ? solution.result.termination : reason;
  if (out.usable) out.doubt = doubt(out.fit.quality, options);
  out.report = fit_report(out, solution.result);
  return out;
}

}  // namespace paceline
