// MXNet's distributed key-value stores over ps-lite: the devices of a machine are summed first, on
// the processor or on devices; the machine pushes one gradient of each key to the servers, which
// add, update and answer the pull (src/kvstore/kvstore_dist.h, kvstore_dist_server.h).
#pragma once

#include "simulator/strategies/parts/kvstore_run.h"
#include "simulator/strategies/parts/remote_servers.h"

namespace paceline {

enum class LocalSum { kOnHost, kOnDevices };

// servers, colocated, bigarray_bound, compression.
std::vector<StrategyOption> dist_kvstore_options();

class DistKvStore : public Strategy {
 public:
  explicit DistKvStore(LocalSum local) : local_(local) {}
  std::vector<StrategyOption> options() const override { return dist_kvstore_options(); }
  int simulated_ranks(const JobSpec& job, const StrategyOptions&) const override {
    return local_ranks(job);
  }
  void check(const JobSpec& job, const StrategyOptions& options) const override;
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override;
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override;
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override;
  // Servers update, and keep the optimizer's state.
  Shares shares(const JobSpec&, const StrategyOptions&) const override {
    return {.optimizer_state = 0};
  }
  std::vector<std::string> remarks(const JobSpec& job,
                                   const StrategyOptions& options) const override;

 private:
  LocalSum local_;
};

}  // namespace paceline
