// Asynchronous parameter servers: no worker waits for another. Each pushes a gradient when it is
// final, the server applies it to the weights one after another, and the worker pulls what it finds
// before the layer's next forward pass. Workers are machines, or the devices of one machine.
#pragma once

#include "simulator/strategies/strategy.h"

namespace paceline {

class AsynchronousServers : public Strategy {
 public:
  std::vector<StrategyOption> options() const override;
  int simulated_ranks(const JobSpec& job, const StrategyOptions& options) const override;
  void check(const JobSpec& job, const StrategyOptions& options) const override;
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override;
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override;
  // Servers update, and keep the optimizer's state.
  Shares shares(const JobSpec&, const StrategyOptions&) const override {
    return {.optimizer_state = 0};
  }
  std::vector<std::string> remarks(const JobSpec& job,
                                   const StrategyOptions& options) const override;
};

}  // namespace paceline
