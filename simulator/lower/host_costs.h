// What the issuing thread of a framework costs per call, and how many calls an iteration makes.
#pragma once

#include "model/cost/cost_model.h"
#include "model/parameters/parameter_set.h"
#include "simulator/frameworks/framework.h"

namespace paceline {

// Seconds of one call of each phase.
struct HostCosts {
  Seconds forward_call;
  Seconds backward_call;
  Seconds optimizer_call;
  double sd = 0;  // of ln(cost), common to all calls
  Origin origin;

  Seconds of(Phase phase) const;
};

// From the fit that the framework names (formula "framework.host/1"). Throws MissingParameter if
// the set lacks it.
HostCosts read_host_costs(const ParameterSet& parameters, const FrameworkInfo& framework);

// Calls of one iteration with one micro-batch, by phase.
struct HostCalls {
  double forward = 0;
  double backward = 0;
  double optimizer = 0;
};
HostCalls count_host_calls(const IssuedIteration& issued);

}  // namespace paceline
