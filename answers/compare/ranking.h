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

// One prediction of a sweep in its place.
struct RankedPoint {
  std::size_t index = 0;  // into the reports
  // 1 for the best. Points whose intervals overlap that of the first of their rank share it: the
  // prediction cannot tell them apart. The next rank counts all before it.
  std::size_t rank = 0;
  bool tied = false;
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
