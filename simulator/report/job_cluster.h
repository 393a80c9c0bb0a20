// The cluster that an experiment asks for.
#pragma once

#include <string>

#include "model/hardware/cluster_request.h"
#include "model/plan/experiment.h"

namespace paceline {

// A count among the options of --set that belongs to `owner` and to no strategy; 0 if it is not
// set. Throws UsageError.
int job_count(const Experiment& experiment, const std::string& name, const char* owner);

// `device`: null if nobody wrote down what it is; must outlive the request. Throws UsageError.
ClusterRequest cluster_request(const Experiment& experiment, const DeviceSpec* device);
// Requests of equal text are for equal clusters.
std::string to_text(const ClusterRequest& request);

}  // namespace paceline
