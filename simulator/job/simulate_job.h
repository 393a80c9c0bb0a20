// From a job and its strategy to a steady iteration: time, where it goes, what was sent, and which
// resource is busiest.
#pragma once

#include <string>
#include <vector>

#include "model/plan/report.h"
#include "simulator/job/job_builder.h"
#include "traces/timeline/timeline.h"

namespace paceline {

class Strategy;
class StrategyOptions;

struct JobResult {
  Seconds iteration_time;  // in the steady state
  Breakdown breakdown;     // of rank 0; adds up to the time
  Seconds updating;        // by rank 0, on any queue; not what feeds the batch to the device
  Communication communication;
  // The busiest resource that is not the compute stream, and its share of the time.
  std::string busiest;
  double busiest_share = 0;
  double compute_share = 0;
  Origin message_origin;  // of the time of the slowest message
  ConditionsRead conditions_read;
  int iterations = 0;  // simulated until steady
  std::vector<std::string> warnings;
};

// The job under other conditions: its profile scaled, the rest for JobBuilder to apply.
JobSpec under(JobSpec job, const JobConditions& conditions);

// Throws UsageError if the strategy cannot run the job.
JobResult simulate_job(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
                       Communicator& communicator);

// The iteration time of the same alone, for conditions after conditions.
Seconds steady_time(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
                    Communicator& communicator);

// Groups of ranks whose collectives NCCL runs in this job, none if there are none.
std::vector<NcclUse> nccl_groups(JobSpec job, const Strategy& strategy,
                                 const StrategyOptions& options, Communicator& communicator);

// The first `iterations` of the same as tasks of the ranks that are simulated.
struct JobGraph {
  TaskGraph graph;
  Platform platform;
};
JobGraph job_graph(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
                   Communicator& communicator, int iterations);

// Their timeline, to look at.
Timeline job_timeline(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
                      Communicator& communicator, int iterations);

}  // namespace paceline
