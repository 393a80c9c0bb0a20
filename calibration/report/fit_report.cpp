#include "calibration/report/fit_report.h"

#include <algorithm>
#include <cmath>

#include "core/percent.h"
#include "core/table.h"
#include "core/units.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr std::size_t kWorstShapes = 5;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string value_text(const Parameter& p) {
  if (p.unit == "s") return to_text(Seconds(p.value));
  if (p.unit == "B") return to_text(Bytes(p.value));
  if (p.unit == "B/s") return to_text(BytesPerSecond(p.value));
  if (p.unit == "FLOP/s") return to_text(FlopsPerSecond(p.value));
  if (p.unit == "FLOP") return to_text(Flops(p.value));
  if (p.unit == "s/B") return to_text(BytesPerSecond(1 / p.value)) + " (inverse)";
  return significant(p.value);
}

std::string error_text(const Parameter& p) {
  if (p.std_error == 0) return "given";
  if (p.scale == ParameterScale::kLog) return percent(p.std_error);
  if (p.scale == ParameterScale::kLogit) {
    return "+- " + significant(p.std_error * p.value * (1 - p.value), 2);
  }
  return "+- " + significant(p.std_error, 2);
}

std::string parameter_table(const FitResult& fit, const LeastSquaresResult& solution) {
  Table table({"parameter", "value", "error", "remark"});
  for (const Parameter& p : fit.fit.parameters) {
    std::string remark;
    if (contains(solution.left_to_prior, p.name)) remark = "from the prior";
    if (contains(solution.at_limit, p.name)) remark = "at its limit";
    table.add_row({p.name, value_text(p), error_text(p), remark});
  }
  return table.to_string();
}

std::string worst_shapes(std::vector<FittedSample> samples) {
  const auto size = [](const FittedSample& s) {
    return std::abs(std::log(s.predicted_s / s.measured_s));
  };
  std::stable_sort(samples.begin(), samples.end(),
                   [&](const auto& a, const auto& b) { return size(a) > size(b); });
  std::string out;
  for (std::size_t i = 0; i < std::min(kWorstShapes, samples.size()); ++i) {
    const FittedSample& s = samples[i];
    out += "  " + s.shape + " (threads " + std::to_string(s.threads) +
           (s.held_out ? ", held out" : "") + "): " + to_text(Seconds(s.measured_s)) +
           ", predicted " + to_text(Seconds(s.predicted_s)) + " (" +
           (s.predicted_s > s.measured_s ? "+" : "") + percent(s.predicted_s / s.measured_s - 1) +
           ")\n";
  }
  return out;
}

std::string verdict(const FitResult& fit) {
  if (!fit.usable) return "refused: " + fit.termination;
  return fit.doubt.empty() ? "usable" : "poor: " + fit.doubt;
}

}  // namespace

std::string fit_report(const FitResult& fit, const LeastSquaresResult& solution) {
  const FitQuality& q = fit.fit.quality;
  std::string out = fit.fit.implementation + " (" + fit.fit.formula +
                    "): " + (fit.usable ? "" : "refused, ") + fit.termination + ", " +
                    (fit.doubt.empty() ? "" : "poor, " + fit.doubt + ", ") +
                    std::to_string(solution.agreeing_starts) + " of " +
                    std::to_string(solution.starts) + " starts agree\n";
  if (fit.samples.empty()) return out;
  out += parameter_table(fit, solution);
  out += "measured " + std::to_string(q.samples) + ", typical error of the fit " +
         percent(q.residual_sd) + "\n";
  if (q.held_out > 0) {
    out += "held out " + std::to_string(q.held_out) + ": mean error " + percent(q.held_out_mape) +
           ", median " + percent(q.held_out_median_ape) + ", 90 % of them below " +
           percent(q.held_out_p90_ape) + ", bias " + percent(q.held_out_bias) +
           "; 90 % interval holds " + percent(q.held_out_coverage90) + "\n";
  }
  out += "error common to similar shapes " + percent(q.shared_sd) + ", of a single shape " +
         percent(q.own_sd) + "; parameters from " +
         (q.refit_on_all ? "a second fit on all shapes" : "the shapes not held out") + "\n";
  return out + "farthest from the fit:\n" + worst_shapes(fit.samples);
}

std::string fit_summary(const std::vector<FitResult>& fits) {
  Table table({"fit", "shapes", "held out", "mean error", "median", "90 % below", "bias",
               "90 % interval holds", "verdict"});
  for (const FitResult& fit : fits) {
    const FitQuality& q = fit.fit.quality;
    const bool tested = q.held_out > 0;
    table.add_row(
        {fit.fit.implementation, std::to_string(q.samples), std::to_string(q.held_out),
         tested ? percent(q.held_out_mape) : "-", tested ? percent(q.held_out_median_ape) : "-",
         tested ? percent(q.held_out_p90_ape) : "-", tested ? percent(q.held_out_bias) : "-",
         tested ? percent(q.held_out_coverage90) : "-", verdict(fit)});
  }
  return table.to_string();
}

}  // namespace paceline
