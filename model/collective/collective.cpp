#include "model/collective/collective.h"

#include <array>

#include "core/error.h"
#include "core/names.h"

namespace paceline {
namespace {

constexpr std::array<std::string_view, 7> kNames = {
    "all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce", "all-to-all", "send-recv"};

}  // namespace

std::string_view to_string(CollectiveOp op) { return kNames.at(static_cast<std::size_t>(op)); }

std::vector<std::string> collective_names() { return {kNames.begin(), kNames.end()}; }

CollectiveOp parse_collective(std::string_view text) {
  const std::string wanted = normalized_name(text);
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (normalized_name(kNames[i]) == wanted) return static_cast<CollectiveOp>(i);
  }
  throw UsageError(unknown_name_message("collective", text, collective_names()));
}

double bus_factor(CollectiveOp op, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (op) {
    case CollectiveOp::kAllReduce:
      return 2 * others;
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kAllGather:
    case CollectiveOp::kAllToAll:
      return others;
    case CollectiveOp::kBroadcast:
    case CollectiveOp::kReduce:
    case CollectiveOp::kSendRecv:
      return 1;
  }
  return 1;
}

int ring_steps(CollectiveOp op, int ranks) {
  if (op == CollectiveOp::kSendRecv) return 1;
  return (op == CollectiveOp::kAllReduce ? 2 : 1) * (ranks - 1);
}

int ring_network_steps(CollectiveOp op, const CollectiveGroup& group) {
  if (group.machines == 1) return 0;
  if (op == CollectiveOp::kSendRecv) return 1;
  if (group.per_machine == 1) return ring_steps(op, group.ranks());
  return (op == CollectiveOp::kAllReduce ? 2 : 1) * (group.machines - 1);
}

}  // namespace paceline
