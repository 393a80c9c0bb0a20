#include "simulator/report/kernel_accuracy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/units_text.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

ErrorSummary summary_of(const std::vector<double>& log_errors) {
  if (log_errors.empty()) return {};
  std::vector<double> predicted;
  for (const double e : log_errors) predicted.push_back(std::exp(e));
  return summarize_errors(predicted, std::vector<double>(predicted.size(), 1.0));
}

KernelScore score_of(const FoldResiduals& fold) {
  const double z = normal_quantile(0.95);
  KernelScore out{.family = fold.family, .device = fold.device, .split = fold.split};
  out.errors = summary_of(fold.error);
  out.roofline = summary_of(fold.roofline);
  out.nearest = summary_of(fold.nearest);
  double inside = 0;
  std::vector<double> widths;
  for (std::size_t i = 0; i < fold.error.size(); ++i) {
    inside += std::abs(fold.error[i]) <= z * fold.sd[i] ? 1 : 0;
    widths.push_back(2 * z * fold.sd[i]);
  }
  out.coverage90 = inside / static_cast<double>(fold.error.size());
  out.median_width = std::exp(median(widths));
  out.roofline_spread = std::exp(quantile(fold.roofline, 0.95) - quantile(fold.roofline, 0.05));
  return out;
}

void append(const std::vector<double>& from, std::vector<double>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

std::string number_of_percent(double share) {
  return significant(100 * share, std::abs(share) < 0.1 ? 2 : 3);
}

std::string three_errors(const ErrorSummary& errors) {
  if (errors.count == 0) return "-";
  return number_of_percent(errors.mape) + " / " + number_of_percent(errors.median_ape) + " / " +
         number_of_percent(errors.p90_ape);
}

ordered_json errors_json(const ErrorSummary& e) {
  return {{"count", e.count},     {"mape", e.mape},       {"median_ape", e.median_ape},
          {"p90_ape", e.p90_ape}, {"max_ape", e.max_ape}, {"bias", e.bias}};
}

constexpr char kIntroduction[] = R"(# Accuracy of the GPU kernel models

Printed by `paceline validate --kernels --md` from the residuals that `paceline calibrate --recipe gpu` leaves beside the fits
(calibration/fitted/gpu/residuals.json). The timings are public: calibration/public names them. All errors are in per cent of
the measured time; triples are mean / median / 90th percentile. How a device's timings were predicted:

| split | by what |
| --- | --- |
| own fit | its own fit, on shapes which that fit did not see |
| same chip | the fit of another device with the same chip; no timing of it was used |
| left out | all other devices; no timing of it was used |
| no kin | the devices of other architectures only |
| not fitted | as predicted, and the device took part in no fit at all |

"inside" is the share inside the 90 % interval; how wide intervals are is learnt on other folds than those they are held
against (docs/models/gpu-transfer.md): other groups of shapes for a device's own fit, other devices for those left out,
none (a star) where there is one device. "width" is the largest over the smallest time of a typical interval, "spread" what
nine in ten of the roofline's errors span. Two simple models stand beside: "roofline" is
max(FLOP / peak, bytes / bandwidth) from the data sheet; "nearest GPU" is the roofline times the typical distance of the
nearest measured GPU from its own roofline.

Public timings of the same kernel on the same GPU model differ between collections by 3-8 % at the median and 15-27 % at
the 90th percentile, so no model can do better than that on them.

One price with its uncertainty takes 0.3 to 2 us; fp32 convolutions and prices that need two families take 2 to 4, above the 2
aimed at (docs/decisions/120, `paceline_cost_benchmark`).
)";

bool is_alone(const std::vector<KernelScore>& scores, const std::string& family) {
  std::vector<std::string> devices;
  for (const KernelScore& s : scores) {
    if (s.family == family && s.split == kLeftOut && !s.device.empty()) devices.push_back(s.device);
  }
  return devices.size() == 1;
}

// Where intervals miss what is asked of them.
std::string interval_misses(const std::vector<KernelScore>& scores) {
  std::string out =
      "\nAimed at are 85 to 95 % inside and a width below the spread of the roofline's errors "
      "(docs/decisions/063). Missed:\n\n";
  for (const KernelScore& s : scores) {
    if (!s.device.empty()) continue;
    const bool narrow = s.coverage90<0.85, generous = s.coverage90> 0.95;
    const bool wide = s.median_width > s.roofline_spread;
    if (!narrow && !generous && !wide) continue;
    out += "- " + s.family + ", " + s.split + ":";
    if (narrow) out += " too few inside";
    if (generous) out += " more inside than asked";
    out += std::string(wide ? (narrow || generous ? ", wider" : " wider") : "") + "\n";
  }
  return out;
}

std::string all_section(const std::vector<KernelScore>& scores) {
  Table table({"family", "split", "timings", "errors", "bias", "inside", "width", "spread",
               "roofline", "nearest GPU"});
  for (const KernelScore& s : scores) {
    if (!s.device.empty()) continue;
    const bool star = s.split == kLeftOut && is_alone(scores, s.family);
    table.add_row({s.family, s.split, std::to_string(s.errors.count), three_errors(s.errors),
                   number_of_percent(s.errors.bias),
                   number_of_percent(s.coverage90) + (star ? " *" : ""),
                   significant(s.median_width, 3), significant(s.roofline_spread, 3),
                   three_errors(s.roofline), three_errors(s.nearest)});
  }
  return "\n## Families\n\nOver all devices of a family.\n\n" +
         table.to_string(TableFormat::kMarkdown) + interval_misses(scores);
}

constexpr char kRankingIntroduction[] = R"(
## Which device is faster

Pairs of devices timed on the same shape: Kendall's tau, the share told rightly less the share told wrongly. "left out": each
device of a pair predicted from all others, so also from its rival, and the rival from it. What is particular to a device then
moves the two predictions apart the wrong way: devices that differ by chance alone would come out below 0. "both left out":
both from the devices that are left, as two devices are that nobody measured. The last two columns leave aside pairs whose
times are less than 3 % apart: two collections of one kernel on one GPU model differ by more at the median.

)";

// Adds the pairs of `ranking` to `sum`.
void add(const DeviceRanking& ranking, DeviceRanking& sum) {
  const auto mean = [](double a, std::int64_t n, double b, std::int64_t m) {
    return n + m > 0 ? (a * static_cast<double>(n) + b * static_cast<double>(m)) /
                           static_cast<double>(n + m)
                     : 0;
  };
  sum.tau = mean(sum.tau, sum.pairs, ranking.tau, ranking.pairs);
  sum.clear_tau = mean(sum.clear_tau, sum.clear_pairs, ranking.clear_tau, ranking.clear_pairs);
  sum.pairs += ranking.pairs;
  sum.clear_pairs += ranking.clear_pairs;
}

std::string ranking_section(const FoldResidualFile& residuals) {
  if (residuals.rankings.empty()) return "";
  Table table({"family", "split", "pairs", "tau", "3 % apart", "tau"});
  std::map<std::string, DeviceRanking> all;
  for (const DeviceRanking& r : residuals.rankings) {
    table.add_row({r.family, r.split, std::to_string(r.pairs), significant(r.tau, 3),
                   std::to_string(r.clear_pairs), significant(r.clear_tau, 3)});
    add(r, all[r.split]);
  }
  for (const auto& [split, r] : all) {
    table.add_row({"all", split, std::to_string(r.pairs), significant(r.tau, 3),
                   std::to_string(r.clear_pairs), significant(r.clear_tau, 3)});
  }
  return kRankingIntroduction + table.to_string(TableFormat::kMarkdown);
}

std::string family_section(const std::string& family, const std::vector<KernelScore>& scores,
                           const FoldResidualFile& residuals) {
  Table table(
      {"device", "split", "timings", "errors", "bias", "inside", "roofline", "nearest GPU"});
  for (const KernelScore& s : scores) {
    if (s.family != family || s.device.empty()) continue;
    const bool star = s.split == kLeftOut && is_alone(scores, family);
    table.add_row({s.device, s.split, std::to_string(s.errors.count), three_errors(s.errors),
                   number_of_percent(s.errors.bias),
                   number_of_percent(s.coverage90) + (star ? " *" : ""), three_errors(s.roofline),
                   three_errors(s.nearest)});
  }
  std::string out = "\n## " + family + "\n";
  const auto notes = residuals.notes.find(family);
  if (notes != residuals.notes.end()) {
    for (const std::string& note : notes->second) out += "\n" + note + "\n";
  }
  if (table.row_count() > 0) out += "\n" + table.to_string(TableFormat::kMarkdown);
  return out;
}

}  // namespace

std::vector<KernelScore> score_kernels(const FoldResidualFile& residuals) {
  std::vector<KernelScore> out;
  for (const std::string& family : residuals.families()) {
    for (const std::string_view split : {kOwnFit, kSameChip, kLeftOut, kNoKin, kNotFitted}) {
      FoldResiduals all{.family = family, .device = "", .split = std::string(split)};
      for (const FoldResiduals& fold : residuals.folds) {
        if (fold.family != family || fold.split != split) continue;
        append(fold.error, all.error);
        append(fold.sd, all.sd);
        append(fold.roofline, all.roofline);
        append(fold.nearest, all.nearest);
      }
      if (!all.error.empty()) out.push_back(score_of(all));
    }
  }
  std::vector<FoldResiduals> folds = residuals.folds;
  std::ranges::stable_sort(folds, {}, &FoldResiduals::device);
  for (const FoldResiduals& fold : folds) out.push_back(score_of(fold));
  return out;
}

Table kernel_score_table(const std::vector<KernelScore>& scores, bool for_people) {
  using Names = std::vector<std::string>;
  Table table(for_people ? Names{"family", "device", "split", "timed", "mean", "P50", "P90", "bias",
                                 "inside", "roofline", "nearest"}
                         : Names{"family", "device", "split", "timings", "mean", "median",
                                 "90 % below", "bias", "inside", "roofline", "nearest GPU"});
  constexpr std::string_view kOfAll = "gpu.";
  for (const KernelScore& s : scores) {
    const bool shorter = for_people && s.family.starts_with(kOfAll);
    table.add_row({shorter ? s.family.substr(kOfAll.size()) : s.family,
                   s.device.empty() ? "all" : s.device, s.split, std::to_string(s.errors.count),
                   number_of_percent(s.errors.mape), number_of_percent(s.errors.median_ape),
                   number_of_percent(s.errors.p90_ape), number_of_percent(s.errors.bias),
                   number_of_percent(s.coverage90), number_of_percent(s.roofline.mape),
                   s.nearest.count == 0 ? "-" : number_of_percent(s.nearest.mape)});
  }
  return table;
}

ordered_json kernel_accuracy_json(const FoldResidualFile& residuals) {
  ordered_json kernels = ordered_json::array();
  for (const KernelScore& s : score_kernels(residuals)) {
    ordered_json row = {
        {"family", s.family}, {"device", s.device.empty() ? "all" : s.device}, {"split", s.split}};
    row.update(errors_json(s.errors));
    row["coverage90"] = s.coverage90;
    row["interval_width"] = s.median_width;
    row["roofline_spread"] = s.roofline_spread;
    row["null"] = {{"roofline", s.roofline.mape}};
    if (s.nearest.count > 0) row["null"]["nearest_gpu"] = s.nearest.mape;
    kernels.push_back(std::move(row));
  }
  ordered_json rankings = ordered_json::array();
  for (const DeviceRanking& r : residuals.rankings) {
    rankings.push_back({{"family", r.family},
                        {"split", r.split},
                        {"pairs", r.pairs},
                        {"kendall_tau", r.tau},
                        {"clear_pairs", r.clear_pairs},
                        {"clear_kendall_tau", r.clear_tau}});
  }
  return {{"schema", "paceline.kernel-accuracy/1"}, {"kernels", kernels}, {"rankings", rankings}};
}

std::string kernel_accuracy_document(const FoldResidualFile& residuals) {
  const std::vector<KernelScore> scores = score_kernels(residuals);
  std::string out = kIntroduction + all_section(scores) + ranking_section(residuals);
  for (const std::string& family : residuals.families()) {
    out += family_section(family, scores, residuals);
  }
  return out;
}

}  // namespace paceline
