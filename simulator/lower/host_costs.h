// What the issuing thread of a framework costs per call, and how many calls an iteration makes.
#pragma once

#include "model/cost/cost_model.h"
#include "model/parameters/parameter_set.h"
#include "simulator/frameworks/framework.h"

namespace paceline {

// Seconds of one unit call; the framework record says how many units each dispatch is.
struct HostCosts {
  Seconds call;
  double sd = 0;  // of ln(cost), common to all calls
  Origin origin;
  Seconds launch_latency;  // from the end of a dispatch to the start of its kernel on an idle GPU
  Seconds graph_launch;    // of a captured iteration
};

// From the fit that the framework names (formula "framework.host/1"). Throws MissingParameter if
// the set lacks it.
HostCosts read_host_costs(const ParameterSet& parameters, const FrameworkInfo& framework);

// Unit calls of one iteration with one micro-batch.
double count_host_calls(const IssuedIteration& issued);

}  // namespace paceline
