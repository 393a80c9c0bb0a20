#include "simulator/lower/host_costs.h"

#include <algorithm>

#include "core/error.h"

namespace paceline {

Seconds HostCosts::of(Phase phase) const {
  switch (phase) {
    case Phase::kForward:
      return forward_call;
    case Phase::kBackward:
      return backward_call;
    case Phase::kOptimizer:
      return optimizer_call;
  }
  PACELINE_ASSERT(false, "every phase has a host cost");
  return {};
}

HostCosts read_host_costs(const ParameterSet& parameters, const FrameworkInfo& framework) {
  const Fit& fit = parameters.at(framework.host_fit);
  if (fit.formula != "framework.host/1") {
    throw InputError("fit of " + fit.implementation + " has the formula " + fit.formula +
                     "; expected framework.host/1");
  }
  HostCosts costs;
  costs.forward_call = Seconds(fit.value("forward_call"));
  costs.backward_call = Seconds(fit.value("backward_call"));
  costs.optimizer_call = Seconds(fit.value("optimizer_call"));
  costs.sd = fit.quality.residual_sd;
  for (const Parameter& parameter : fit.parameters) {
    costs.sd = std::max(costs.sd, parameter.std_error);
  }
  costs.origin = {OriginKind::kFitted, "fit " + fit.implementation + " of " + parameters.device +
                                           ", " + parameters.provenance.date.substr(0, 10)};
  return costs;
}

HostCalls count_host_calls(const IssuedIteration& issued) {
  HostCalls calls;
  const auto add = [&](const std::vector<IssuedCall>& list) {
    for (const IssuedCall& call : list) {
      double& phase = call.phase == Phase::kForward    ? calls.forward
                      : call.phase == Phase::kBackward ? calls.backward
                                                       : calls.optimizer;
      phase += call.host_calls * static_cast<double>(call.repeat);
    }
  };
  add(issued.begin);
  add(issued.micro_batch);
  add(issued.update);
  return calls;
}

}  // namespace paceline
