#include "model/cost/prepared_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "model/cost/formulas.h"

namespace paceline {
namespace {

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

// Where in the file each of the formula's parameters stands.
std::vector<std::size_t> places(const Fit& fit, const FormulaEntry& formula) {
  std::vector<std::size_t> out;
  for (const formula::Declaration& declared : formula.parameters) {
    const Parameter& parameter = fit.parameter(std::string(declared.name));
    out.push_back(static_cast<std::size_t>(&parameter - fit.parameters.data()));
  }
  if (fit.parameters.size() != out.size()) {
    throw InputError("fit of " + fit.implementation + " has " +
                     std::to_string(fit.parameters.size()) + " parameters; formula " + fit.formula +
                     " has " + std::to_string(out.size()));
  }
  return out;
}

}  // namespace

double parameter_variance(const FormulaEntry& formula, const Kernel& kernel,
                          const ExecutionContext& context, const std::vector<double>& values,
                          const std::vector<ParameterScale>& scales,
                          const std::vector<double>& covariance) {
  const std::size_t n = values.size();
  if (covariance.empty()) return 0;
  std::vector<double> gradient(n);
  formula.log_gradient(kernel, context, values.data(), gradient.data(),
                       std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < n; ++i) gradient[i] *= slope(scales[i], values[i]);
  double variance = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      variance += gradient[i] * covariance[i * n + j] * gradient[j];
    }
  }
  return std::max(0.0, variance);
}

PreparedFit::PreparedFit(const Fit& fit, const ParameterSet& set)
    : fit_(&fit),
      formula_(&kernel_formula(fit.formula)),
      domain_(fit),
      source_("fit " + fit.implementation + " of " + set.device + ", " +
              set.provenance.date.substr(0, 10)) {
  const std::vector<std::size_t> from = places(fit, *formula_);
  const std::size_t n = from.size();
  for (const std::size_t i : from) values_.push_back(fit.parameters[i].value);
  if (fit.covariance.empty()) return;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      const auto slope_of = [&](std::size_t k) {
        return slope(fit.parameters[from[k]].scale, values_[k]);
      };
      const double upper = fit.covariance[from[i] * n + from[j]];
      const double lower = fit.covariance[from[j] * n + from[i]];
      covariance_.push_back(slope_of(i) * slope_of(j) * (i == j ? upper : upper + lower));
    }
  }
}

double PreparedFit::parameter_variance(const double* log_gradient) const {
  const std::size_t n = values_.size();
  const double* row = covariance_.data();
  double variance = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t length = n - i;
    if (log_gradient[i] != 0) {
      double sum = 0;
      for (std::size_t j = 0; j < length; ++j) sum += row[j] * log_gradient[i + j];
      variance += log_gradient[i] * sum;
    }
    row += length;
  }
  return std::max(0.0, variance);
}

PreparedFit::Price PreparedFit::price(const Kernel& kernel, const ExecutionContext& context,
                                      Seconds limit) const {
  std::array<double, kMostFormulaParameters> gradient{};
  const bool was_fitted = !covariance_.empty();
  const formula::TimeParts<double> parts =
      was_fitted
          ? formula_->log_gradient(kernel, context, values_.data(), gradient.data(), limit.si())
          : formula_->evaluate(kernel, context, values_.data());
  Price out;
  out.time = Seconds(parts.total);
  if (!(out.time < limit)) return out;
  const double variance = was_fitted ? parameter_variance(gradient.data()) : 0;
  const FitQuality& quality = fit_->quality;
  out.bound = bound_of(parts);
  out.own_sd = quality.own_sd;
  out.outside = domain_.first_outside(kernel, context);
  double shared = variance + quality.shared_sd * quality.shared_sd;
  if (!out.outside.empty()) shared *= 1 + leverage(variance, quality);
  out.shared_sd = std::min(std::sqrt(shared), kLargestSharedSd);
  return out;
}

}  // namespace paceline
