// Whether predictions put configurations in the order in which they were measured: Kendall's tau
// over the pairs whose measurements are far enough apart to have an order.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace paceline {

struct RankOrder {
  std::size_t pairs = 0;  // with an order
  double tau = 0;         // (in this order - in the other) / pairs; equal predictions are neither
};

// Pairs whose measurements differ by less than the share `tie` of the smaller have no order; none
// if no pair has one. Both of equal length, all positive.
std::optional<RankOrder> rank_order(std::span<const double> predicted,
                                    std::span<const double> measured, double tie);

// The orders of cases that agree in some fields.
struct GroupOrder {
  std::string group;  // what they agree in: "10gbe"
  RankOrder by_time;  // of an iteration
  RankOrder by_rate;  // samples per second of all devices together
};

// "10gbe 0.98 by samples/s, 0.77 by iteration time (261 and 239 pairs); ..."
std::string to_text(const std::vector<GroupOrder>& orders);

}  // namespace paceline
