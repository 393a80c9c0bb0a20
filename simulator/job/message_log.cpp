#include "simulator/job/message_log.h"

#include <algorithm>

namespace paceline {

void MessageLog::add(const SentMessage& message, int sender, Bytes sent) {
  messages_.push_back(message);
  if (sender >= 0) count_sent(sender, sent);
}

void MessageLog::note(const CollectiveCost& cost) {
  if (cost.time <= slowest_) return;
  slowest_ = cost.time;
  bottleneck_ = cost.bottleneck;
  origin_ = cost.origin;
  warnings_ = cost.warnings;
}

void MessageLog::note_nccl(const CollectiveGroup& group) {
  if (std::ranges::find(nccl_groups_, group) == nccl_groups_.end()) nccl_groups_.push_back(group);
}

}  // namespace paceline
