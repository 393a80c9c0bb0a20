// Messages of several tensors that are decided before the run: a message starts when the last of
// its tensors is final, after a delay if one is planned.
#pragma once

#include "simulator/strategies/parts/summation.h"
#include "simulator/strategies/parts/update_after_all.h"

namespace paceline {

struct PlannedMessage {
  std::vector<std::uint32_t> gradients;
  Seconds delay;  // after the last of them is final
};

class GroupedRun : public UpdateAfterAll {
 public:
  // Copies a message of several tensors into one buffer and back if `packs`.
  GroupedRun(JobBuilder& job, const StrategyOptions& options, std::vector<PlannedMessage> messages,
             bool packs);
  void gradient_ready(std::uint32_t gradient) override;

 private:
  void send(const PlannedMessage& message);

  Summation summation_;
  std::vector<PlannedMessage> messages_;
  std::vector<std::size_t> message_of_;
  std::vector<std::size_t> missing_;
  bool packs_;
};

}  // namespace paceline
