// A strategy that sums messages and updates when all have arrived; it says only which messages
// there are and when each starts.
#pragma once

#include "simulator/strategies/parts/summation.h"
#include "simulator/strategies/parts/update_after_all.h"

namespace paceline {

class SummedMessages : public Strategy {
 public:
  std::vector<StrategyOption> options() const override { return summation_options("all-reduce"); }
  void check(const JobSpec& job, const StrategyOptions& options) const override {
    check_summation(job, options);
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override {
    return summation_bytes_sent(job, options, job.profile.gradient_bytes());
  }
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override {
    return summation_buffers(job, options);
  }
  std::vector<std::string> remarks(const JobSpec& job,
                                   const StrategyOptions& options) const override {
    return summation_remarks(job, options);
  }
};

}  // namespace paceline
