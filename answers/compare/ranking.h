// Predictions side by side: which is better, and which cannot be told apart.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "answers/compare/prices.h"
#include "core/table.h"
#include "model/plan/report.h"

namespace paceline {

// A point against another one, both as they are ranked: per second or per unit of money.
struct Comparison {
  std::size_t with = 0;  // into the reports
  Estimate ratio;        // of the rates, with what both do not know (paired.h)
};

// One prediction of a sweep in its place.
struct RankedPoint {
  std::size_t index = 0;  // into the reports
  // 1 for the best. Points share the rank of the first one that the prediction cannot tell them
  // apart from: the interval of the ratio holds 1. The next rank counts all before it. A point
  // whose interval is wide may so have a better rank than one above it.
  std::size_t rank = 0;
  bool tied = false;
  // With the first of its rank, or of that itself with the nearest first one above; nothing for
  // the best, nor between what fits in memory and what does not.
  std::optional<Comparison> comparison;
  // Samples per unit of money, where the price of the device is known.
  std::optional<Estimate> samples_per_money;
};

enum class RankBy { kThroughput, kSamplesPerMoney };

// Best first; those that do not fit in memory last, whatever their speed. With kSamplesPerMoney
// throws InputError if the price of a device is missing, naming it.
std::vector<RankedPoint> rank_points(const std::vector<Report>& reports, RankBy by,
                                     const PriceList* prices);

// Best first: rank ("2=" where tied), what varies, throughput with interval, efficiency, memory,
// bottleneck, and per money if there are prices.
Table ranking_table(const std::vector<Report>& reports, const std::vector<RankedPoint>& ranking,
                    const PriceList* prices);
// What to add to the report of each point, in input order.
std::vector<nlohmann::ordered_json> comparison_json(const std::vector<RankedPoint>& ranking,
                                                    const PriceList* prices);

}  // namespace paceline
