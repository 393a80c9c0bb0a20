#include "answers/compare/ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "answers/compare/paired.h"
#include "answers/compare/rate_text.h"
#include "answers/compare/varying.h"
#include "core/error.h"
#include "core/percent.h"
#include "core/units_text.h"
#include "simulator/memory/memory_model.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

Estimate times(const Estimate& e, double factor) {
  return {e.median * factor, e.p05 * factor, e.p95 * factor};
}

std::optional<Estimate> per_money(const Report& report, const PriceList* prices, bool required) {
  if (prices == nullptr) return std::nullopt;
  const std::string& device = report.experiment.device;
  const std::optional<double> price =
      required ? prices->needed_per_hour(device) : prices->per_hour(device);
  if (!price) return std::nullopt;
  const double per_second =
      *price * static_cast<double>(report.experiment.devices) / kSecondsPerHour;
  return times(report.throughput_samples_per_s, 1 / per_second);
}

}  // namespace

std::vector<RankedPoint> rank_points(const std::vector<Report>& reports, RankBy by,
                                     const PriceList* prices) {
  std::vector<RankedPoint> out(reports.size());
  const bool money = by == RankBy::kSamplesPerMoney;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    out[i].index = i;
    out[i].samples_per_money = per_money(reports[i], prices, money);
  }
  const auto value = [&](const RankedPoint& point) -> const Estimate& {
    return money ? *point.samples_per_money : reports[point.index].throughput_samples_per_s;
  };
  const auto fits = [&](const RankedPoint& point) { return reports[point.index].memory.fits(); };
  std::ranges::stable_sort(out, [&](const RankedPoint& a, const RankedPoint& b) {
    if (fits(a) != fits(b)) return fits(a);
    return value(a).median > value(b).median;
  });
  const PairedRates paired;
  const auto compare = [&](const RankedPoint& point, const RankedPoint& with) {
    const double ratio = value(point).median / value(with).median;
    const Estimate rates = paired.ratio(reports[point.index], reports[with.index]);
    return Comparison{with.index, times(rates, ratio / rates.median)};
  };
  std::vector<std::size_t> firsts;  // of ranks
  for (std::size_t i = 0; i < out.size(); ++i) {
    RankedPoint& point = out[i];
    point.rank = i + 1;
    for (const std::size_t first : firsts) {
      // Intervals that far apart exclude 1 from the ratio, whatever they share.
      const bool apart = value(point).p95 * std::exp(paired.repeat()) < value(out[first]).p05;
      if (fits(out[first]) != fits(point) || apart) continue;
      Comparison comparison = compare(point, out[first]);
      if (!holds_one(comparison.ratio)) continue;
      point.rank = first + 1;
      point.tied = out[first].tied = true;
      point.comparison = comparison;
      break;
    }
    if (point.tied) continue;
    if (!firsts.empty() && fits(out[firsts.back()]) == fits(point)) {
      point.comparison = compare(point, out[firsts.back()]);
    }
    firsts.push_back(i);
  }
  return out;
}

Table ranking_table(const std::vector<Report>& reports, const std::vector<RankedPoint>& ranking,
                    const PriceList* prices) {
  const std::vector<VaryingKey> varying = varying_keys(reports);
  std::vector<std::string> header = {"rank"};
  for (const VaryingKey& key : varying) header.push_back(key.name);
  for (const char* name : {"samples/s", "p05", "p95", "iteration", "efficiency", "memory", "fits",
                           "spare", "largest batch"}) {
    header.emplace_back(name);
  }
  const bool of_tokens = std::ranges::all_of(
      reports, [](const Report& r) { return r.throughput_tokens_per_s.has_value(); });
  if (of_tokens && !reports.empty()) {
    header.insert(std::ranges::find(header, "samples/s"), "tokens/s");
  }
  if (prices != nullptr) header.push_back("samples/" + prices->currency());
  header.emplace_back("bottleneck");
  Table table(header);
  for (const RankedPoint& point : ranking) {
    const Report& r = reports[point.index];
    const Estimate& s = r.throughput_samples_per_s;
    std::vector<std::string> cells = {std::to_string(point.rank) + (point.tied ? "=" : "")};
    for (const VaryingKey& key : varying) cells.push_back(key.values[point.index]);
    if (of_tokens) cells.push_back(rate_text(r.throughput_tokens_per_s->median, 4));
    cells.push_back(significant(s.median, 4));
    cells.push_back(significant(s.p05));
    cells.push_back(significant(s.p95));
    cells.push_back(to_text(Seconds(r.iteration_time_s.median)));
    cells.push_back(percent(r.scaling_efficiency, 3));
    cells.push_back(to_text(Bytes(static_cast<double>(r.memory.peak()))));
    cells.emplace_back(r.memory.fits() ? "yes" : "no");
    cells.push_back(to_text(Bytes(static_cast<double>(r.memory.margin()))));
    cells.push_back(r.largest_batch ? batch_found_text(*r.largest_batch) : "-");
    if (prices != nullptr) {
      cells.push_back(point.samples_per_money ? significant(point.samples_per_money->median) : "-");
    }
    cells.push_back(r.bottleneck.resource);
    table.add_row(std::move(cells));
  }
  return table;
}

std::vector<ordered_json> comparison_json(const std::vector<RankedPoint>& ranking,
                                          const PriceList* prices) {
  std::vector<ordered_json> out(ranking.size());
  for (const RankedPoint& point : ranking) {
    ordered_json& entry = out[point.index];
    entry = {{"rank", point.rank}, {"cannot_be_told_apart", point.tied}};
    if (point.comparison) {
      const Estimate& ratio = point.comparison->ratio;
      entry["compared_with"] = point.comparison->with;
      entry["ratio"] = {{"median", ratio.median}, {"p05", ratio.p05}, {"p95", ratio.p95}};
    }
    if (prices == nullptr) continue;
    entry["price_date"] = prices->date();
    entry["currency"] = prices->currency();
    if (!point.samples_per_money) continue;
    entry["samples_per_money"] = {{"median", point.samples_per_money->median},
                                  {"p05", point.samples_per_money->p05},
                                  {"p95", point.samples_per_money->p95}};
  }
  return out;
}

}  // namespace paceline
