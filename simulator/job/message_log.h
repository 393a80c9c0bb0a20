// What the ranks of a simulated job send, and what is known of the slowest collective among it.
#pragma once

#include <string>
#include <vector>

#include "core/units.h"
#include "model/collective/collective.h"
#include "simulator/job/communicator.h"
#include "simulator/job/job_spec.h"

namespace paceline {

class MessageLog {
 public:
  explicit MessageLog(int ranks) : sent_(static_cast<std::size_t>(ranks)) {}

  // `sender`: whose message it is, -1 if no device sends it; `sent`: what each sends for it.
  void add(const SentMessage& message, int sender, Bytes sent);
  // Bytes that a rank sends as its part of a message for several.
  void count_sent(int rank, Bytes bytes) { sent_.at(static_cast<std::size_t>(rank)) += bytes; }
  // A collective that costs so much; the slowest is kept.
  void note(const CollectiveCost& cost);
  // NCCL was asked to run this collective over these ranks.
  void note_nccl(const CollectiveGroup& group, const CollectiveCost& cost);

  const std::vector<SentMessage>& messages() const { return messages_; }
  // Bytes a rank has sent, all iterations together.
  Bytes sent(int rank) const { return sent_.at(static_cast<std::size_t>(rank)); }
  // The limit of the slowest collective so far, in words.
  const std::string& bottleneck() const { return bottleneck_; }
  // Where its time comes from; that of the catalog's links if there was none.
  const Origin& origin() const { return origin_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Groups of NCCL's collectives, each a communicator of its own.
  const std::vector<NcclUse>& nccl_groups() const { return nccl_groups_; }

 private:
  std::vector<SentMessage> messages_;
  std::vector<Bytes> sent_;  // by rank
  std::vector<NcclUse> nccl_groups_;
  Seconds slowest_;
  std::string bottleneck_;
  Origin origin_{OriginKind::kDataSheet, "links of the catalog"};
  std::vector<std::string> warnings_;
};

}  // namespace paceline
