#include "validation/harness/rank_order.h"

#include <algorithm>

#include "core/error.h"
#include "core/units_text.h"

namespace paceline {

std::optional<RankOrder> rank_order(std::span<const double> predicted,
                                    std::span<const double> measured, double tie) {
  PACELINE_ASSERT(predicted.size() == measured.size(), "one prediction per measurement");
  RankOrder out;
  double balance = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    for (std::size_t j = i + 1; j < measured.size(); ++j) {
      const auto [less, more] = std::minmax(measured[i], measured[j]);
      if (more - less < tie * less) continue;
      ++out.pairs;
      const double same = (predicted[i] - predicted[j]) * (measured[i] - measured[j]);
      balance += static_cast<double>((same > 0) - (same < 0));
    }
  }
  if (out.pairs == 0) return std::nullopt;
  out.tau = balance / static_cast<double>(out.pairs);
  return out;
}

std::string to_text(const std::vector<GroupOrder>& orders) {
  std::string out;
  for (const GroupOrder& order : orders) {
    out += (out.empty() ? "" : "; ") + order.group + " " + significant(order.by_rate.tau, 2) +
           " by samples/s, " + significant(order.by_time.tau, 2) + " by iteration time (" +
           std::to_string(order.by_rate.pairs) + " and " + std::to_string(order.by_time.pairs) +
           " pairs)";
  }
  return out;
}

}  // namespace paceline
