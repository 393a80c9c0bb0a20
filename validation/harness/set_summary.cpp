#include "validation/harness/set_summary.h"

#include <cmath>

namespace paceline {

void apply_constant_mfu(std::vector<ScoredCase>& cases, const std::vector<double>& flops) {
  double log_rate = 0;
  double count = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].in_sample) continue;
    log_rate += std::log(flops[i] / cases[i].measured_s);
    ++count;
  }
  if (count < 2) return;  // a rate chosen for one case hits it exactly
  const double rate = std::exp(log_rate / count);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].null_s["constant_mfu"] = flops[i] / rate;
}

ScoredSet summarize_set(const ValidationSet& set, const std::vector<ScoredCase>& cases) {
  ScoredSet scored;
  scored.name = set.name;
  scored.summary = set.summary;
  scored.regime = set.regime;
  scored.thresholds = set.thresholds;
  scored.remarks = set.remarks;
  if (set.published) scored.source = set.published->source;
  std::vector<double> predicted, measured;
  std::map<std::string, std::vector<double>> nulls;
  double covered = 0;
  for (const ScoredCase& c : cases) {
    if (c.in_sample) continue;
    predicted.push_back(c.predicted_s);
    measured.push_back(c.measured_s);
    covered += c.p05_s <= c.measured_s && c.measured_s <= c.p95_s ? 1 : 0;
    for (const auto& [name, time] : c.null_s) nulls[name].push_back(time);
  }
  if (predicted.empty()) return scored;
  scored.errors = summarize_errors(predicted, measured);
  scored.coverage90 = covered / static_cast<double>(predicted.size());
  for (const auto& [name, times] : nulls) {
    scored.null_mape[name] = summarize_errors(times, measured).mape;
  }
  return scored;
}

}  // namespace paceline
