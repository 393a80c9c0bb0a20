#include "simulator/lower/host_costs.h"

#include <algorithm>

#include "core/error.h"

namespace paceline {

HostCosts read_host_costs(const ParameterSet& parameters, const FrameworkInfo& framework) {
  if (parameters.find(framework.host_fit) == nullptr) {
    throw MissingParameter("device " + parameters.device + " has no host costs (" +
                           framework.host_fit +
                           "): the measurements were calibrated without --host-recording; record "
                           "them with: validation/recorders/record_pytorch.py --plan tiny -o "
                           "tiny.json, then paceline calibrate measurements.json "
                           "--host-recording tiny.json --install");
  }
  const Fit& fit = parameters.at(framework.host_fit);
  if (fit.formula != "framework.host/1") {
    throw InputError("fit of " + fit.implementation + " has the formula " + fit.formula +
                     "; expected framework.host/1");
  }
  HostCosts costs;
  costs.call = Seconds(fit.value("call"));
  costs.sd = fit.quality.residual_sd;
  for (const Parameter& parameter : fit.parameters) {
    costs.sd = std::max(costs.sd, parameter.std_error);
  }
  costs.origin = {OriginKind::kFitted, "fit " + fit.implementation + " of " + parameters.device +
                                           ", " + parameters.provenance.date.substr(0, 10)};
  return costs;
}

double count_host_calls(const IssuedIteration& issued) {
  double calls = 0;
  for (const auto* list : {&issued.begin, &issued.micro_batch, &issued.update}) {
    for (const IssuedCall& call : *list)
      calls += call.host_calls * static_cast<double>(call.repeat);
  }
  return calls;
}

}  // namespace paceline
