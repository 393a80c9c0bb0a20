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

void MessageLog::note_nccl(const CollectiveGroup& group, const CollectiveCost& cost) {
  auto known = std::ranges::find(nccl_groups_, group, &NcclUse::group);
  if (known == nccl_groups_.end()) known = nccl_groups_.insert(known, NcclUse{group});
  known->in_switch = known->in_switch || reduces_in_switch(cost);
}

}  // namespace paceline
