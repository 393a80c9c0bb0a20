#include "calibration/collective/collective_residuals.h"

#include "calibration/fit/autodiff_residual.h"

namespace paceline {

ceres::CostFunction* CollectiveResiduals::make(std::size_t i, double sigma,
                                               const std::vector<FitParameter>& parameters) const {
  return make_log_time_residual(
      [input = inputs_[i]](const auto* values) {
        return formula::CollectiveProtocol::evaluate(input, values).total;
      },
      measured_[i], sigma, parameters);
}

std::vector<FitParameter> collective_fit_parameters(bool on_host) {
  // In the order of CollectiveProtocol::kParameters: 10 us, 1 us (host: 30 us), 20 GB/s, 1, 0.1
  // ps/B (host: 1 ns/B), 1 us, 1 MB.
  const double centers[] = {1e-5, on_host ? 3e-5 : 1e-6, 2e10, 1, on_host ? 1e-9 : 1e-13, 1e-6,
                            1e6};
  constexpr double kSd[] = {1, 1, 1, 0.7, 2, 1, 2};
  constexpr double kNothing[] = {1e-12, 1e-3};
  std::vector<FitParameter> out;
  std::size_t i = 0;
  for (const formula::Declaration& declared : formula::CollectiveProtocol::kParameters) {
    FitParameter parameter;
    parameter.name = declared.name;
    parameter.unit = declared.unit;
    parameter.center = centers[i];
    parameter.prior_sd = kSd[i];
    // Libraries on host memory have one channel, and their messages were measured up to 1 MiB: no
    // spread and no ramp.
    if (on_host && i >= 5) parameter.center = kNothing[i - 5], parameter.given = true;
    out.push_back(std::move(parameter));
    ++i;
  }
  return out;
}

}  // namespace paceline
