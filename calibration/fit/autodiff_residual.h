// Makes a Ceres cost function from any functor that predicts a time for any scalar. Include it in
// sources only: it pulls in Ceres.
#pragma once

#include <ceres/dynamic_autodiff_cost_function.h>

#include <cmath>
#include <utility>
#include <vector>

#include "calibration/fit/fit_parameter.h"

namespace paceline {

// Residual (ln time(values) - ln measured) / sigma. `Time` is callable with a pointer to the values
// of all parameters, for T = double and T = ceres::Jet.
template <typename Time>
class LogTimeResidual {
 public:
  LogTimeResidual(Time time, double measured, double sigma,
                  const std::vector<FitParameter>& parameters)
      : time_(std::move(time)),
        log_measured_(std::log(measured)),
        sigma_(sigma),
        parameters_(&parameters) {}

  template <typename T>
  bool operator()(T const* const* variables, T* residual) const {
    using std::log;
    std::vector<T> values;
    values.reserve(parameters_->size());
    for (std::size_t k = 0; k < parameters_->size(); ++k) {
      const FitParameter& parameter = (*parameters_)[k];
      values.push_back(parameter.given
                           ? T(parameter.center)
                           : value_of(parameter, coordinate_of(parameter, variables[k][0])));
    }
    const T time = time_(values.data());
    if (!(time > 0.0)) return false;
    residual[0] = (log(time) - log_measured_) / sigma_;
    return true;
  }

 private:
  Time time_;
  double log_measured_;
  double sigma_;
  const std::vector<FitParameter>* parameters_;
};

template <typename Time>
ceres::CostFunction* make_log_time_residual(Time time, double measured, double sigma,
                                            const std::vector<FitParameter>& parameters) {
  using Residual = LogTimeResidual<Time>;
  constexpr int kStride = 8;  // derivatives per pass
  auto* function = new ceres::DynamicAutoDiffCostFunction<Residual, kStride>(
      new Residual(std::move(time), measured, sigma, parameters));
  for (std::size_t k = 0; k < parameters.size(); ++k) function->AddParameterBlock(1);
  function->SetNumResiduals(1);
  return function;
}

}  // namespace paceline
