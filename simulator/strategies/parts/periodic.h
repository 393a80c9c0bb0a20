// Training that aggregates weights instead of gradients, once in several iterations: local SGD and
// CNTK's block momentum.
#pragma once

#include "simulator/strategies/strategy.h"

namespace paceline {

class PeriodicAveraging : public Strategy {
 public:
  // `momentum`: every average is followed by a momentum step over the whole model.
  PeriodicAveraging(std::string period_name, std::string fallback, bool momentum)
      : period_(std::move(period_name)), fallback_(std::move(fallback)), momentum_(momentum) {}
  std::vector<StrategyOption> options() const override;
  bool synchronizes_gradients() const override { return false; }
  int cycle(const JobSpec& job, const StrategyOptions& options) const override;
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override;
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override;
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override;
  std::vector<std::string> remarks(const JobSpec& job,
                                   const StrategyOptions& options) const override;

 private:
  std::string period_;
  std::string fallback_;
  bool momentum_;
};

}  // namespace paceline
