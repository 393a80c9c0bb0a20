#include "model/cost/fitted.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "model/cost/formulas.h"
#include "model/cost/shape_quantities.h"

namespace paceline {
namespace {

std::string_view family(std::string_view formula) { return formula.substr(0, formula.find('.')); }

// "cpu.gemm/1" is of a family of kernel formulas; "framework.host/1" is evaluated elsewhere.
bool is_of_a_kernel(const Fit& fit) {
  const auto entries = kernel_formulas();
  return std::any_of(entries.begin(), entries.end(), [&](const FormulaEntry& entry) {
    return family(entry.id) == family(fit.formula);
  });
}

// The linear error of a fit far from its data can be any number; a kernel's time cannot. What is
// known of a kernel whose fit says nothing is its traffic and the machine's bandwidth: a factor of
// two.
constexpr double kLargestSharedSd = 0.7;

Bound bound_of(const formula::TimeParts<double>& parts) {
  if (parts.fixed >= parts.compute && parts.fixed >= parts.memory) return Bound::kLatency;
  return parts.compute >= parts.memory ? Bound::kCompute : Bound::kMemory;
}

// How much more uncertain the parameters are at a shape than at those the fit has seen. At most 3,
// which doubles the standard deviation: beyond that a number would only pretend to know.
double leverage(double variance, const FitQuality& q) {
  constexpr double kMost = 3;
  const double seen =
      std::max({q.residual_sd * q.residual_sd, q.own_sd * q.own_sd, q.shared_sd * q.shared_sd});
  return seen > 0 ? std::min(kMost, variance / seen) : 0;
}

// Derivative of a parameter in the coordinate it was fitted in.
double slope(ParameterScale scale, double value) {
  switch (scale) {
    case ParameterScale::kLog:
      return value;
    case ParameterScale::kLogit:
      return value * (1 - value);
    case ParameterScale::kLinear:
      break;
  }
  return 1;
}

}  // namespace

double parameter_variance(const FormulaEntry& formula, const Kernel& kernel,
                          const ExecutionContext& context, const std::vector<double>& values,
                          const std::vector<ParameterScale>& scales,
                          const std::vector<double>& covariance) {
  const std::size_t n = values.size();
  if (covariance.empty()) return 0;
  std::vector<double> gradient(n);
  formula.log_gradient(kernel, context, values.data(), gradient.data());
  for (std::size_t i = 0; i < n; ++i) gradient[i] *= slope(scales[i], values[i]);
  double variance = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      variance += gradient[i] * covariance[i * n + j] * gradient[j];
    }
  }
  return std::max(0.0, variance);
}

FittedCostModel::FittedCostModel(ParameterSet parameters) : parameters_(std::move(parameters)) {
  for (const Fit& fit : parameters_.fits) {
    if (is_of_a_kernel(fit)) entries_.push_back(make_entry(fit));
  }
}

FittedCostModel::Entry FittedCostModel::make_entry(const Fit& fit) const {
  Entry entry{&fit, &kernel_formula(fit.formula), {}, {}, {}};
  const std::size_t n = fit.parameters.size();
  std::vector<std::size_t> from;  // position in the file of each of the formula's parameters
  for (const formula::Declaration& declared : entry.formula->parameters) {
    const Parameter& parameter = fit.parameter(std::string(declared.name));
    from.push_back(static_cast<std::size_t>(&parameter - fit.parameters.data()));
    entry.values.push_back(parameter.value);
    entry.scales.push_back(parameter.scale);
  }
  if (n != from.size()) {
    throw InputError("fit of " + fit.implementation + " has " + std::to_string(n) +
                     " parameters; formula " + fit.formula + " has " + std::to_string(from.size()));
  }
  if (!fit.covariance.empty()) {
    for (const std::size_t i : from) {
      for (const std::size_t j : from) entry.covariance.push_back(fit.covariance[i * n + j]);
    }
  }
  return entry;
}

const FittedCostModel::Entry& FittedCostModel::entry_of(const Kernel& kernel) const {
  const auto find = [&](const std::string& name) {
    return std::find_if(entries_.begin(), entries_.end(),
                        [&](const Entry& e) { return e.fit->implementation == name; });
  };
  if (const auto* conv = std::get_if<ConvShape>(&kernel.shape)) {
    const auto it = find(kernel.implementation + "." + std::string(to_string(conv->pass)));
    if (it != entries_.end()) return *it;
  }
  const auto it = find(kernel.implementation);
  if (it != entries_.end()) return *it;
  parameters_.at(kernel.implementation);  // throws with the command that makes it
  throw MissingParameter("the fit of " + kernel.implementation + " is not of a kernel");
}

std::string FittedCostModel::source_text(const Fit& fit) const {
  const std::string& date = parameters_.provenance.date;
  return "fit " + fit.implementation + " of " + parameters_.device + ", " + date.substr(0, 10);
}

KernelCost FittedCostModel::cost(const Kernel& kernel, const ExecutionContext& context) const {
  const Entry& entry = entry_of(kernel);
  const auto parts = entry.formula->evaluate(kernel, context, entry.values.data());
  const FitQuality& quality = entry.fit->quality;
  const double variance = parameter_variance(*entry.formula, kernel, context, entry.values,
                                             entry.scales, entry.covariance);
  double shared = variance + quality.shared_sd * quality.shared_sd;
  KernelCost out;
  out.time = Seconds(parts.total);
  out.bound = bound_of(parts);
  out.own_sd = quality.own_sd;
  out.origin = {OriginKind::kFitted, source_text(*entry.fit)};
  const std::string outside = outside_domain(*entry.fit, kernel, context);
  if (!outside.empty()) {
    shared *= 1 + leverage(variance, quality);
    out.origin.kind = OriginKind::kExtrapolated;
    out.origin.source += "; outside the measured range of " + outside;
  }
  out.shared_sd = std::min(std::sqrt(shared), kLargestSharedSd);
  return out;
}

}  // namespace paceline
