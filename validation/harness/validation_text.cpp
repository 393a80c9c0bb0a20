#include "validation/harness/validation_text.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/percent.h"
#include "core/units_text.h"
#include "validation/harness/milliseconds.h"
#include "validation/harness/verdict.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

std::string signed_percent(double fraction) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%+.1f %%", 100 * fraction);
  return buffer;
}

ordered_json to_json(const PhaseTimes& phases) {
  return {{"forward", phases.forward.si()},
          {"backward", phases.backward.si()},
          {"optimizer", phases.optimizer.si()}};
}

ordered_json to_json(const ScoredCase& c) {
  ordered_json nulls = ordered_json::object();
  for (const auto& [name, time] : c.null_s) nulls[name] = time;
  return {{"case", c.name},
          {"set", c.set},
          {"regime", c.regime},
          {"measured", c.measured_s},
          {"predicted", c.predicted_s},
          {"p05", c.p05_s},
          {"p95", c.p95_s},
          {"error", c.error},
          {"in_sample", c.in_sample},
          {"measured_spread", c.measured_spread},
          {"measured_phases_s", to_json(c.measured_phases)},
          {"predicted_phases_s", to_json(c.predicted_phases)},
          {"null", nulls}};
}

ordered_json to_json(const std::vector<GroupOrder>& orders) {
  ordered_json out = ordered_json::array();
  for (const GroupOrder& order : orders) {
    out.push_back({{"group", order.group},
                   {"tau_by_time", order.by_time.tau},
                   {"pairs_by_time", order.by_time.pairs},
                   {"tau_by_rate", order.by_rate.tau},
                   {"pairs_by_rate", order.by_rate.pairs}});
  }
  return out;
}

ordered_json to_json(const ScoredSet& set) {
  ordered_json nulls = ordered_json::object();
  for (const auto& [name, mape] : set.null_mape) nulls[name] = mape;
  ordered_json thresholds = ordered_json::object();
  const auto state = [&](const char* name, const std::optional<double>& limit) {
    if (limit) thresholds[name] = *limit;
  };
  state("mape", set.thresholds.mape);
  state("median_ape", set.thresholds.median_ape);
  state("p90_ape", set.thresholds.p90_ape);
  state("max_ape", set.thresholds.max_ape);
  state("kendall_tau", set.thresholds.kendall_tau);
  state("coverage90", set.thresholds.coverage90);
  if (set.thresholds.better_than_nulls) thresholds["better_than_nulls"] = true;
  ordered_json inputs = ordered_json::array();
  for (const InputFile& input : set.inputs) {
    inputs.push_back({{"file", input.file}, {"sha256", input.sha256}});
  }
  return {
      {"set", set.name},
      {"count", set.errors.count},
      {"mape", set.errors.mape},
      {"median_ape", set.errors.median_ape},
      {"p90_ape", set.errors.p90_ape},
      {"max_ape", set.errors.max_ape},
      {"bias", set.errors.bias},
      {"coverage90", set.coverage90},
      {"kendall_tau", set.errors.count < 2 ? ordered_json() : ordered_json(set.errors.kendall_tau)},
      {"orders", to_json(set.orders)},
      {"null", nulls},
      {"source", set.source},
      {"thresholds", thresholds},
      {"passed", set.passed()},
      {"shortfalls", shortfalls(set)},
      {"warnings", set.warnings},
      {"inputs", inputs}};
}

std::string null_cell(const ScoredSet& set, const std::string& name) {
  const auto found = set.null_mape.find(name);
  return found == set.null_mape.end() ? "-" : percent_in_tenths(found->second);
}

}  // namespace

ordered_json to_json(const Validation& validation) {
  ordered_json out;
  out["schema"] = "paceline.validation/1";
  out["cases"] = ordered_json::array();
  for (const ScoredCase& c : validation.cases) out["cases"].push_back(to_json(c));
  out["sets"] = ordered_json::array();
  for (const ScoredSet& set : validation.sets) out["sets"].push_back(to_json(set));
  out["skipped"] = ordered_json::array();
  for (const SkippedCase& c : validation.skipped) {
    out["skipped"].push_back({{"case", c.name}, {"set", c.set}, {"reason", c.reason}});
  }
  return out;
}

Table case_table(const Validation& validation) {
  Table table({"case", "measured ms", "predicted ms", "p05 ms", "p95 ms", "error", "forward",
               "backward", "optimizer", "counts"});
  for (const ScoredCase& c : validation.cases) {
    const auto phase = [](Seconds predicted, Seconds measured) {
      return measured > Seconds(0) ? signed_percent(relative_error(predicted.si(), measured.si()))
                                   : std::string("-");
    };
    table.add_row({c.name, milliseconds(c.measured_s), milliseconds(c.predicted_s),
                   milliseconds(c.p05_s), milliseconds(c.p95_s), signed_percent(c.error),
                   phase(c.predicted_phases.forward, c.measured_phases.forward),
                   phase(c.predicted_phases.backward, c.measured_phases.backward),
                   phase(c.predicted_phases.optimizer, c.measured_phases.optimizer),
                   c.in_sample ? "no: in-sample" : "yes"});
  }
  return table;
}

Table set_table(const Validation& validation) {
  Table table({"set", "cases", "MAPE", "median", "P90", "max", "bias", "in interval", "rank tau",
               "roofline MAPE", "constant MFU MAPE", "alpha-beta MAPE"});
  for (const ScoredSet& set : validation.sets) {
    const ErrorSummary& e = set.errors;
    if (e.count == 0) {
      table.add_row({set.name, "0", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"});
      continue;
    }
    table.add_row({set.name, std::to_string(e.count), percent_in_tenths(e.mape),
                   percent_in_tenths(e.median_ape), percent_in_tenths(e.p90_ape),
                   percent_in_tenths(e.max_ape), signed_percent(e.bias),
                   percent_in_tenths(set.coverage90),
                   e.count < 2 ? "-" : significant(e.kendall_tau, 2), null_cell(set, "roofline"),
                   null_cell(set, "constant_mfu"), null_cell(set, "alpha_beta")});
  }
  return table;
}

constexpr char kIntroduction[] = R"(# Accuracy

Generated by `paceline validate --md` (validation/refresh); a test fails when it is out of date.
Times of whole training iterations, predicted from measurements of single kernels, against
recordings of a real framework and against figures that others have published. No iteration, and no
matrix or convolution shape of the recorded networks, was used in a fit.

Error is predicted / measured - 1; MAPE its mean absolute value; bias the geometric mean of
predicted / measured, less 1; "in interval" the share of measurements inside the predicted 90 %
interval. The null models are a roofline with the same limits, a constant utilization chosen in
hindsight for the set, and alpha-beta: one worker by itself, then one all-reduce of all gradients at
the rate of the link.

## Sets

)";

std::string accuracy_document(const Validation& validation) {
  std::string out = kIntroduction;
  out += set_table(validation).to_string(TableFormat::kMarkdown);
  for (const ScoredSet& set : validation.sets) {
    out += "\n**" + set.name + "**: " + set.summary + ".";
    if (!set.source.empty()) out += " Figures of " + set.source + ".";
    const std::string limits = limits_text(set.thresholds);
    if (!limits.empty()) out += " Must hold: " + limits + ".";
    if (!set.orders.empty()) out += " Order (Kendall's tau): " + to_text(set.orders) + ".";
    for (const std::string& warning : set.warnings) out += " Note: " + warning + ".";
    out += "\n";
    for (const std::string& remark : set.remarks) out += "\n" + remark + "\n";
  }
  out += "\n## Cases\n\n" + case_table(validation).to_string(TableFormat::kMarkdown);
  if (!validation.skipped.empty()) {
    out += "\n## Skipped\n\n";
    for (const SkippedCase& c : validation.skipped) out += "- " + c.name + ": " + c.reason + "\n";
  }
  return out;
}

}  // namespace paceline
