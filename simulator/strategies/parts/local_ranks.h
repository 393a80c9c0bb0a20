// Small helpers for strategies that copy between the devices of one machine.
#pragma once

#include <vector>

#include "simulator/strategies/strategy.h"

namespace paceline {

// The devices of a machine that take part.
inline int local_ranks(const JobSpec& job) { return job.group.per_machine; }

// Throws UsageError if the job spans machines.
inline void check_one_machine(const JobSpec& job, const char* strategy) {
  if (job.group.machines == 1) return;
  throw UsageError(std::string("--strategy ") + strategy +
                   " works inside one machine; the job spans " +
                   std::to_string(job.group.machines));
}

inline Way between(JobBuilder& job, int from, int to) { return job.fabric().between(from, to); }

// When the gradient is final on each of the simulated ranks.
inline std::vector<TaskId> ready_everywhere(const JobBuilder& job, std::uint32_t gradient) {
  std::vector<TaskId> out;
  for (int rank = 0; rank < job.ranks(); ++rank) out.push_back(job.ready(rank, gradient));
  return out;
}

}  // namespace paceline
