// Asynchronous parameter servers: no worker waits for another. Each pushes a gradient when it is
// final, the server applies all that it has at once, in equal parts of its time, and the worker
// pulls what it finds before the layer's next forward pass. Workers are machines, or the devices of
// one machine; one is simulated, among the others as it finds them on average (job/crowding.h).
#pragma once

#include "simulator/strategies/strategy.h"

namespace paceline {

class AsynchronousServers : public Strategy {
 public:
  std::vector<StrategyOption> options() const override;
  void check(const JobSpec& job, const StrategyOptions& options) const override;
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override;
  bool workers_wait_for_nobody() const override { return true; }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override;
  // Servers update, and keep the optimizer's state.
  Shares shares(const JobSpec&, const StrategyOptions&) const override {
    return {.optimizer_state = 0};
  }
  std::vector<std::string> remarks(const JobSpec& job,
                                   const StrategyOptions& options) const override;
};

}  // namespace paceline
