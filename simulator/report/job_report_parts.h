// The parts of a report that say why a job takes its time: bottleneck, origins, warnings. Those of
// one device are report_parts.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/plan/report.h"
#include "simulator/job/simulate_job.h"
#include "simulator/report/aggregation_kernels.h"
#include "simulator/report/report_parts.h"

namespace paceline {

// How long the kernels of each phase take in a job, against one device by itself: a measured rate
// scales all of them, collectives slow those beside them, and a shard is updated in a share of the
// time. `parts` and `updating` (JobResult::updating) are of the job.
PhaseScale phase_scale(const Experiment& experiment, const IterationPlan& plan,
                       const Breakdown& parts, Seconds updating);
// `report` says of one device by itself why it takes its time (bottleneck, origins, warnings about
// kernels); afterwards it says so of the times that the job makes of them.
void scale_reasons(const IterationPlan& plan, const PhaseScale& scale, Report& report);
// `bottleneck` is that of one device; a link takes its place where the job waits for it, and the
// kernels of the aggregation where they take longer.
void name_bottleneck(const JobResult& job, const AggregationKernels& kernels,
                     Bottleneck& bottleneck);
// `origins` are of what one device computes and sum to 1; afterwards they are of the iteration,
// hold what the job waits for, and sum to 1 again.
void add_waiting(const JobResult& job, const AggregationKernels& kernels,
                 std::vector<OriginLine>& origins);
// What a profile file leaves open, and whether it seems to be of another network.
std::vector<std::string> profile_warnings(const Experiment& experiment,
                                          const ComputeProfile& profile,
                                          const std::vector<GradientTensor>& of_model);
// That a device which computes an iteration in `calibrated` would exceed its peak in the least
// arithmetic, if it would. `one` is the report of the device by itself, before it was calibrated.
std::optional<std::string> beyond_peak(const Report& one, Seconds calibrated);
// Why several devices are faster than as many times one, if they are.
std::optional<std::string> more_than_linear(const Report& report, const ComputeProfile& profile);

}  // namespace paceline
