#include "calibration/gpu/gpu_score.h"

#include <algorithm>
#include <cmath>

#include "model/cost/fitted.h"
#include "model/cost/formulas.h"
#include "model/cost/gpu_limits.h"
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

}  // namespace

ErrorSummary GpuFold::errors() const {
  std::vector<double> predicted, measured;
  for (const UnseenShape& shape : shapes) {
    predicted.push_back(shape.measured * std::exp(shape.log_error));
    measured.push_back(shape.measured);
  }
  return summarize_errors(predicted, measured);
}

double GpuFold::coverage90() const {
  const double z = normal_quantile(0.95);
  const auto inside = std::ranges::count_if(
      shapes, [z](const UnseenShape& s) { return std::abs(s.log_error) <= z * s.sd; });
  return static_cast<double>(inside) / static_cast<double>(shapes.size());
}

std::vector<UnseenShape> score(const Fit& fit, const std::vector<Observation>& observations) {
  const FormulaEntry& formula = kernel_formula(fit.formula);
  std::vector<double> values;
  std::vector<ParameterScale> scales;
  for (const Parameter& p : fit.parameters) {
    values.push_back(p.value);
    scales.push_back(p.scale);
  }
  const double of_formula = std::pow(fit.quality.shared_sd, 2) + std::pow(fit.quality.own_sd, 2);
  std::vector<UnseenShape> out;
  for (const Observation& o : observations) {
    const double variance =
        parameter_variance(formula, o.kernel, o.context, values, scales, fit.covariance);
    const double predicted = std::max(formula.evaluate(o.kernel, o.context, values.data()).total,
                                      least_time(o.kernel, *o.context.device).si());
    out.push_back(
        {.shape = std::string(to_string(o.kernel.precision)) + " " + to_string(o.kernel.shape),
         .group = o.group,
         .log_error = std::log(predicted / o.measured.si()),
         .parameter_variance = variance,
         .sd = std::sqrt(variance + of_formula),
         .measured = o.measured.si(),
         .log_roofline = std::log(roofline_time(o.kernel, o.context) / o.measured.si())});
  }
  return out;
}

std::vector<double> above_roofline(const std::vector<Observation>& observations) {
  std::vector<double> out;
  for (const Observation& o : observations) {
    out.push_back(std::log(o.measured.si() / roofline_time(o.kernel, o.context)));
  }
  return out;
}

}  // namespace paceline
