// DeepSpeed ZeRO (github.com/deepspeedai/DeepSpeed, runtime/zero): stages 1 to 3 shard the state of
// the optimizer, gradients too, weights too.
#pragma once

#include "simulator/strategies/parts/sharded.h"

namespace paceline {

class Zero : public Strategy {
 public:
  explicit Zero(int stage) : stage_(stage) {}
  std::vector<StrategyOption> options() const override;
  bool synchronizes_every_micro_batch() const override { return stage_ > 1; }
  // Stage 2 scatters gradients in each micro-batch and gathers weights once: half of the bytes
  // each.
  double share_of_each_micro_batch() const override { return stage_ == 2 ? 0.5 : 1; }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override;
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override;
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override;
  // DeepSpeed converts the model to 16 bits; fp32 weights are part of the optimizer.
  std::map<std::string, std::string> settings_at_16_bits() const override {
    return {{"mixed", "uniform"}};
  }
  Shares shares(const JobSpec& job, const StrategyOptions& options) const override;

 private:
  Sharding sharding(const StrategyOptions& options) const;
  int stage_;
};

}  // namespace paceline
