#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json_writer.h"
#include "core/percent.h"
#include "core/statistics.h"
#include "core/table.h"
#include "core/units_text.h"
#include "validation/memory/memory_set.h"

namespace paceline {

std::string memory_residuals_text(const std::vector<SetResiduals>& residuals) {
  nlohmann::ordered_json out;
  out["schema"] = "paceline.memory-residuals/1";
  out["summary"] =
      "ln(measured / predicted) of the totals of validation/memory/sets, written by "
      "paceline_validation_test";
  out["sets"] = nlohmann::ordered_json::array();
  for (const SetResiduals& set : residuals) {
    nlohmann::ordered_json errors = nlohmann::ordered_json::array();
    for (const double error : set.errors) errors.push_back(std::round(1e4 * error) / 1e4 + 0.0);
    out["sets"].push_back({{"name", set.set},
                           {"source", set.source},
                           {"family", set.family},
                           {"device", to_string(set.device)},
                           {"errors", errors}});
  }
  return to_json_text(out);
}

std::optional<double> slope_error(const std::vector<MemoryError>& errors) {
  std::vector<const MemoryError*> totals;
  double mean = 0;
  for (const MemoryError& e : errors) {
    if (!e.counted || e.quantity != "total") continue;
    totals.push_back(&e);
    mean += static_cast<double>(e.batch);
  }
  if (totals.size() < 3) return std::nullopt;
  mean /= static_cast<double>(totals.size());
  double measured = 0, predicted = 0;  // both times the variance of the batch
  for (const MemoryError* e : totals) {
    const double away = static_cast<double>(e->batch) - mean;
    measured += away * static_cast<double>(e->measured);
    predicted += away * static_cast<double>(e->predicted);
  }
  return predicted / measured - 1;
}

namespace {

std::string megabytes(std::int64_t bytes) {
  return significant(static_cast<double>(bytes) / 1e6, 4);
}

// Which errors a figure is of: those that count; also those that do not; those that count and rest
// on nothing that was assumed.
enum class Among { kCounted, kAll, kPublished };

// Of totals or of categories.
std::optional<double> median_error(const std::vector<MemoryError>& errors, bool totals,
                                   Among among = Among::kCounted) {
  std::vector<double> sizes;
  for (const MemoryError& e : errors) {
    if (e.is_total() != totals || (!e.counted && among != Among::kAll)) continue;
    if (e.assumed && among == Among::kPublished) continue;
    sizes.push_back(std::abs(e.error()));
  }
  if (sizes.empty()) return std::nullopt;
  return quantile(sizes, 0.5);
}

// Of the counted totals.
std::optional<double> share_inside(const std::vector<MemoryError>& errors) {
  double inside = 0, all = 0;
  for (const MemoryError& e : errors) {
    if (!e.counted || !e.is_total()) continue;
    ++all;
    if (e.is_inside()) ++inside;
  }
  if (all == 0) return std::nullopt;
  return inside / all;
}

// "-" where nothing was measured.
std::string percent_or_dash(std::optional<double> share) { return share ? percent(*share) : "-"; }

std::string median_line(const std::string& which, const std::vector<MemoryError>& errors,
                        Among among) {
  return "- " + which + " the median error would be " +
         percent_or_dash(median_error(errors, true, among)) + " of totals and " +
         percent_or_dash(median_error(errors, false, among)) + " of categories\n";
}

// What is not counted, what rests on an assumption, and what the medians would be otherwise.
std::string reservations(const MemorySet& set, const std::vector<MemoryError>& errors) {
  std::string out;
  bool excluded = false, assumed = false;
  for (const MemoryCase& c : set.cases) {
    if (!c.excluded.empty()) out += "- " + c.name + " is not counted: " + c.excluded + "\n";
    if (!c.assumed.empty()) out += "- " + c.name + " is counted, but " + c.assumed + "\n";
    excluded = excluded || !c.excluded.empty();
    assumed = assumed || !c.assumed.empty();
  }
  if (excluded) out += median_line("With what is not counted", errors, Among::kAll);
  if (assumed) out += median_line("Without what is assumed", errors, Among::kPublished);
  return out;
}

}  // namespace

std::string memory_accuracy_text(const std::vector<MemorySet>& sets, const MemoryScorer& scorer) {
  Table summary({"set", "cases", "median error of totals", "largest", "limit",
                 "median error of categories", "limit", "in interval"});
  std::string details;
  for (const MemorySet& set : sets) {
    const std::vector<MemoryError> errors = score(set, scorer);
    std::optional<double> largest;
    Table table({"case", "quantity", "measured MB", "predicted MB", "error"});
    for (const MemoryError& e : errors) {
      if (e.counted && e.is_total()) largest = std::max(largest.value_or(0), std::abs(e.error()));
      table.add_row({e.name, e.quantity, megabytes(e.measured), megabytes(e.predicted),
                     percent(e.error()) + (e.counted ? "" : " (not counted)")});
    }
    summary.add_row({set.name, std::to_string(set.cases.size()),
                     percent_or_dash(median_error(errors, true)), percent_or_dash(largest),
                     percent(set.total_limit), percent_or_dash(median_error(errors, false)),
                     percent(set.category_limit), percent_or_dash(share_inside(errors))});
    details += "\n## " + set.name + "\n\n" + set.summary + ".\nSource: " + set.source + ".\n\n";
    details += reservations(set, errors);
    if (const auto slope = slope_error(errors)) {
      details += "- Growth of the total with the batch (least squares over the sweep): " +
                 percent(*slope) + "\n";
    }
    details += "\n" + table.to_string(TableFormat::kMarkdown);
  }
  return "<!-- Written by PACELINE_UPDATE_DOCS=1 paceline_validation_test "
         "--gtest_filter='MemoryAccuracy.*'. -->\n\n"
         "# Accuracy: memory\n\n"
         "Predicted against measured bytes; nothing of these sets was used to set a parameter. "
         "What a "
         "quantity\nis: docs/models/memory.md. \"In interval\": the share of totals inside a 90 % "
         "interval that was made from\nthe other sets "
         "(calibration/fitted/memory/residuals.json).\n\n"
         "Contexts of Kepler and Maxwell are recalled, not measured; intervals hold what they may "
         "be\n(docs/decisions/115, 130).\n\n" +
         summary.to_string(TableFormat::kMarkdown) + details;
}

}  // namespace paceline
