#include "cli/trace_comparison_text.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/json_writer.h"
#include "core/percent.h"
#include "core/table.h"
#include "core/units_text.h"
#include "traces/import/trace_importer.h"
#include "traces/timeline/counter_means.h"
#include "validation/trace/trace_comparison.h"

namespace paceline {
namespace {

std::string signed_percent(double ratio) {
  constexpr double kRounding = 1e-6;  // of picoseconds
  if (std::abs(ratio - 1) < kRounding) return "+0 %";
  const std::string text = percent(ratio - 1);
  return ratio >= 1 ? "+" + text : text;
}

std::string error_text(Seconds predicted, Seconds measured) {
  if (!(measured > Seconds(0))) return "-";
  return signed_percent(predicted / measured);
}

std::string time_text(Seconds time, bool known) { return known ? to_text(time) : "-"; }

Seconds sum(const TraceComparison& comparison, bool matched,
            Seconds (*part)(const ComparedLayer&)) {
  Seconds total(0);
  for (const ComparedLayer& layer : comparison.layers) {
    if (layer.matched() == matched) total = total + part(layer);
  }
  return total;
}

Seconds predicted_time(const ComparedLayer& layer) {
  return layer.predicted.forward + layer.predicted.backward;
}
Seconds measured_time(const ComparedLayer& layer) {
  return layer.measured.forward + layer.measured.backward;
}

// The layers with the largest difference, at most `count`, largest first.
Table comparison_table(const TraceComparison& comparison, std::size_t count) {
  std::vector<const ComparedLayer*> rows;
  for (const ComparedLayer& layer : comparison.layers) rows.push_back(&layer);
  std::stable_sort(rows.begin(), rows.end(), [](const ComparedLayer* a, const ComparedLayer* b) {
    return std::abs(a->difference().si()) > std::abs(b->difference().si());
  });
  if (rows.size() > count) rows.resize(count);
  Table table(
      {"layer", "in the trace", "forward", "measured", "backward", "measured", "off by", "error"});
  for (const ComparedLayer* row : rows) {
    const bool ours = !row->layer.empty();
    const bool theirs = !row->operation.empty();
    table.add_row(
        {ours ? row->layer : "-", theirs ? row->operation : "-",
         time_text(row->predicted.forward, ours), time_text(row->measured.forward, theirs),
         time_text(row->predicted.backward, ours), time_text(row->measured.backward, theirs),
         to_text(Seconds(std::abs(row->difference().si()))),
         row->matched() ? error_text(predicted_time(*row), measured_time(*row)) : "-"});
  }
  return table;
}

std::string compared_text(const TraceComparison& comparison) {
  if (comparison.simulated) return "kernel time";
  return comparison.on_device ? "device time" : "host time";
}

// Totals in words, before the table.
std::string comparison_summary(const TraceComparison& comparison, Seconds predicted_iteration) {
  const Seconds ours = sum(comparison, true, predicted_time);
  const Seconds theirs = sum(comparison, true, measured_time);
  std::string out = "against the trace (" + compared_text(comparison) + ")\n";
  const auto line = [&](const std::string& what, Seconds predicted, Seconds measured) {
    out += "  " + what + std::string(what.size() < 12 ? 12 - what.size() : 0, ' ') +
           to_text(predicted) + " predicted, " + to_text(measured) + " measured, " +
           error_text(predicted, measured) + "\n";
  };
  if (comparison.measured_iteration > Seconds(0)) {
    line("iteration", predicted_iteration, comparison.measured_iteration);
  }
  line("layers", ours, theirs);
  line("optimizer", comparison.predicted_optimizer, comparison.measured_optimizer);
  out += "  matched     " + std::to_string(comparison.matched) + " layers; unmatched are " +
         to_text(sum(comparison, false, predicted_time)) + " of the prediction and " +
         to_text(sum(comparison, false, measured_time)) + " of the trace, which has " +
         to_text(comparison.other.unattributed) + " in no layer\n";
  if (comparison.joined > 0) {
    out += "  joined      " + std::to_string(comparison.joined) +
           " layers count with those that have weights, as in the trace of a job\n";
  }
  return out;
}

// What the trace counted, on average while the device worked.
std::string counters_summary(const std::vector<CounterMean>& counters) {
  std::string out;
  for (const CounterMean& counter : counters) {
    const std::string value = counter.unit == "B/s" ? to_text(BytesPerSecond(counter.mean))
                              : counter.unit.empty()
                                  ? significant(counter.mean, 3)
                                  : significant(counter.mean, 3) + " " + counter.unit;
    out += "  counted     " + counter.name + " " + value + " on average\n";
  }
  return out;
}

nlohmann::ordered_json counters_json(const std::vector<CounterMean>& counters) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const CounterMean& counter : counters) {
    out.push_back({{"name", counter.name}, {"unit", counter.unit}, {"mean", counter.mean}});
  }
  return out;
}

nlohmann::ordered_json comparison_json(const TraceComparison& comparison) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  const auto times = [](const LayerTime& time) {
    return nlohmann::ordered_json{{"forward_s", time.forward.si()},
                                  {"backward_s", time.backward.si()}};
  };
  for (const ComparedLayer& row : comparison.layers) {
    nlohmann::ordered_json entry = {{"layer", row.layer}, {"operation", row.operation}};
    if (!row.layer.empty()) entry["predicted"] = times(row.predicted);
    if (!row.operation.empty()) entry["measured"] = times(row.measured);
    layers.push_back(std::move(entry));
  }
  return {{"compared", compared_text(comparison)},
          {"matched_layers", comparison.matched},
          {"joined_layers", comparison.joined},
          {"measured_iteration_s", comparison.measured_iteration.si()},
          {"predicted_optimizer_s", comparison.predicted_optimizer.si()},
          {"measured_optimizer_s", comparison.measured_optimizer.si()},
          {"measured_communication_s", comparison.other.communication.si()},
          {"measured_copies_s", comparison.other.copies.si()},
          {"unattributed_s", comparison.other.unattributed.si()},
          {"layers", layers}};
}

}  // namespace

std::string comparison_text(const Prediction& prediction, const std::vector<std::string>& traces,
                            OutputFormat format, std::size_t count) {
  const MeasuredTimeline trace = import_trace({traces.begin(), traces.end()}, {});
  for (const std::string& warning : trace.warnings) std::cerr << "warning: " << warning << "\n";
  const TraceComparison comparison = compare_with_trace(prediction.graph, prediction.plan, trace);
  const std::vector<CounterMean> counters = counter_means(trace.timeline);
  if (format == OutputFormat::kJson) {
    nlohmann::ordered_json out = to_json(prediction.report);
    out["against"] = comparison_json(comparison);
    if (!counters.empty()) out["against"]["counters"] = counters_json(counters);
    return to_json_text(out);
  }
  const Table table = comparison_table(comparison, count);
  if (format != OutputFormat::kText) return table.to_string(table_format(format));
  const Seconds iteration(prediction.report.iteration_time_s.median);
  return comparison_summary(comparison, iteration) + counters_summary(counters) + "\n" +
         table.to_string();
}

}  // namespace paceline
