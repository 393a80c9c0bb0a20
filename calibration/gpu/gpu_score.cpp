#include "calibration/gpu/gpu_score.h"

#include <algorithm>
#include <cmath>

#include "model/cost/fitted.h"
#include "model/cost/formulas.h"
#include "model/hardware/device_spec.h"

namespace paceline {
namespace {

double roofline_time(const Kernel& kernel, const ExecutionContext& context) {
  const DeviceSpec& device = *context.device;
  const Bytes bytes = kernel_bytes(kernel.shape, kernel.precision);
  const Flops flops = kernel_flops(kernel.shape);
  const double memory = (bytes / device.memory.bandwidth.value).si();
  return std::max(memory, flops.si() > 0 ? (flops / device.peak(kernel.precision)).si() : 0.0);
}

std::vector<double> values_of(const Fit& fit) {
  std::vector<double> out;
  for (const Parameter& p : fit.parameters) out.push_back(p.value);
  return out;
}

}  // namespace

std::vector<double> parameter_variances(const Fit& fit,
                                        const std::vector<Observation>& observations) {
  std::vector<ParameterScale> scales;
  for (const Parameter& p : fit.parameters) scales.push_back(p.scale);
  const FormulaEntry& formula = kernel_formula(fit.formula);
  std::vector<double> out;
  for (const Observation& o : observations) {
    out.push_back(
        parameter_variance(formula, o.kernel, o.context, values_of(fit), scales, fit.covariance));
  }
  return out;
}

Score score(const Fit& fit, const std::vector<Observation>& observations) {
  constexpr double kZ90 = 1.6449;  // 95 % quantile of the normal distribution
  const std::vector<double> values = values_of(fit);
  const std::vector<double> variances = parameter_variances(fit, observations);
  const double formula_variance =
      std::pow(fit.quality.shared_sd, 2) + std::pow(fit.quality.own_sd, 2);
  std::vector<double> predicted, measured, roofline;
  std::vector<UnseenShape> shapes;
  double inside = 0;
  for (const Observation& o : observations) {
    predicted.push_back(
        kernel_formula(fit.formula).evaluate(o.kernel, o.context, values.data()).total);
    measured.push_back(o.measured.si());
    roofline.push_back(roofline_time(o.kernel, o.context));
    shapes.push_back({.shape = to_string(o.kernel.shape),
                      .group = o.group,
                      .log_error = std::log(predicted.back() / measured.back()),
                      .parameter_variance = variances[shapes.size()]});
    const double sd = std::sqrt(shapes.back().parameter_variance + formula_variance);
    inside += std::abs(shapes.back().log_error) <= kZ90 * sd ? 1 : 0;
  }
  return {.shapes = std::move(shapes),
          .predicted = summarize_errors(predicted, measured),
          .roofline = summarize_errors(roofline, measured),
          .coverage90 = inside / static_cast<double>(observations.size())};
}

}  // namespace paceline
