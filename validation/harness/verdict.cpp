#include "validation/harness/verdict.h"

#include "core/percent.h"
#include "core/units_text.h"

namespace paceline {
namespace {

struct Limit {
  const char* name;
  std::optional<double> bound;
  double found;
  bool at_least = false;
  bool share = true;  // in percent
  std::string text(double value) const {
    return share ? percent_in_tenths(value) : significant(value, 2);
  }
};

std::vector<Limit> limits(const Thresholds& t, const ErrorSummary& e, double coverage) {
  return {{"MAPE", t.mape, e.mape},
          {"median error", t.median_ape, e.median_ape},
          {"P90 of the error", t.p90_ape, e.p90_ape},
          {"largest error", t.max_ape, e.max_ape},
          {"share inside the 90 % interval", t.coverage90, coverage, true},
          {"rank tau", t.kendall_tau, e.kendall_tau, true, false}};
}

bool any(const Thresholds& t) {
  return t.mape || t.median_ape || t.p90_ape || t.max_ape || t.coverage90 || t.kendall_tau ||
         t.better_than_nulls;
}

}  // namespace

std::vector<std::string> shortfalls(const ScoredSet& set) {
  std::vector<std::string> out;
  if (set.errors.count == 0) {
    if (any(set.thresholds)) out.emplace_back("no case counts, so its limits are not met");
    return out;
  }
  for (const Limit& limit : limits(set.thresholds, set.errors, set.coverage90)) {
    if (!limit.bound) continue;
    if (limit.at_least ? limit.found >= *limit.bound : limit.found <= *limit.bound) continue;
    out.push_back(std::string(limit.name) + " " + limit.text(limit.found) + " is " +
                  (limit.at_least ? "below " : "above ") + limit.text(*limit.bound));
  }
  if (!set.thresholds.better_than_nulls) return out;
  for (const auto& [name, mape] : set.null_mape) {
    if (set.errors.mape < mape) continue;
    out.push_back("MAPE " + percent_in_tenths(set.errors.mape) +
                  " is no better than that of the null model " + name + ", " +
                  percent_in_tenths(mape));
  }
  return out;
}

std::string limits_text(const Thresholds& thresholds) {
  std::string out;
  for (const Limit& limit : limits(thresholds, {}, 0)) {
    if (!limit.bound) continue;
    out += (out.empty() ? "" : ", ") + std::string(limit.name) +
           (limit.at_least ? " at least " : " at most ") + limit.text(*limit.bound);
  }
  if (thresholds.better_than_nulls) {
    out += std::string(out.empty() ? "" : ", ") + "better than both null models";
  }
  return out;
}

bool ScoredSet::passed() const { return shortfalls(*this).empty(); }

}  // namespace paceline
