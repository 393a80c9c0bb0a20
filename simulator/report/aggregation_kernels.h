// Kernels that a strategy adds to the compute stream: compressing, packing, adding gradients. They
// count as exposed communication (simulator/job/read_job.h), but no link shortens them.
#pragma once

#include <string>
#include <string_view>

#include "model/cost/cost_model.h"
#include "simulator/job/simulate_job.h"
#include "simulator/strategies/options.h"

namespace paceline {

struct AggregationKernels {
  std::string name;  // "compression"
  double share = 0;  // of the iteration
  Origin origin;     // of their time
};

// Of a simulated job. The origin is that of a measured time (compression_time), of the constants of
// sparse selection, or of a kernel that streams through all gradients.
AggregationKernels aggregation_kernels(const JobSpec& job, const StrategyOptions& options,
                                       const JobResult& result);

// Whether a resource of a job adds, packs or works for the framework: else it moves bytes.
bool is_computing(std::string_view resource);

}  // namespace paceline
