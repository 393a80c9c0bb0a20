// paceline explain: where the time of an iteration goes and what would shorten it.
#include <nlohmann/json.hpp>

#include "answers/explain/kernel_rows.h"
#include "answers/explain/sensitivity.h"
#include "cli/experiment_flags.h"
#include "cli/html_file.h"
#include "cli/output.h"
#include "cli/prediction_text.h"
#include "cli/run_sweep.h"
#include "cli/trace_comparison_text.h"
#include "cli/trace_file.h"
#include "core/json_writer.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kMostKernels = 10'000;

ordered_json json(const Prediction& point, const std::vector<KernelRow>& rows,
                  const std::vector<Sensitivity>& sensitivities) {
  ordered_json out = to_json(point.report);
  out["sensitivities"] = to_json(sensitivities);
  out["implementations"] = implementations_json(point.plan);
  out["kernels"] = kernels_json(rows);
  return out;
}

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  const auto count = static_cast<std::size_t>(arguments.count_or("top", 15, kMostKernels));
  const SweepResult sweep = run_sweep(arguments);
  if (sweep.points.size() != 1 || !sweep.errors.empty()) {
    throw UsageError("explain takes one experiment, not a sweep; paceline compare takes several");
  }
  const Prediction& point = sweep.points.front();
  if (arguments.has("trace")) write_trace(point, arguments.text("trace"));
  if (arguments.has("html")) write_html(arguments, point);
  if (arguments.has("against")) {
    write_result(arguments, comparison_text(point, arguments.all("against"), format, count));
    return ExitCode::kOk;
  }
  const std::vector<KernelRow> rows = top_kernels(point.plan, count);
  const std::vector<Sensitivity> sensitivities = device_sensitivities(point.plan, point.report);
  const Seconds total(point.report.iteration_time_s.median);
  if (format == OutputFormat::kJson) {
    write_result(arguments, to_json_text(json(point, rows, sensitivities)));
    return ExitCode::kOk;
  }
  const Table kernels = kernel_table(rows, total);
  if (format != OutputFormat::kText) {
    write_result(arguments, kernels.to_string(table_format(format)));
    return ExitCode::kOk;
  }
  write_result(arguments, prediction_screen(point.report) + "\n" +
                              sensitivity_table(sensitivities).to_string() + "\n" +
                              implementation_table(point.plan, total).to_string() + "\n" +
                              kernels.to_string());
  return ExitCode::kOk;
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = experiment_flags();
  all.push_back({"top", "N", "how many kernels to list, default 15"});
  all.push_back(output_flag("trace", "write the simulated iteration for ui.perfetto.dev"));
  all.push_back(
      {"against", "FILE", "a profile of this run (paceline import): which layer is off", true});
  all.push_back(html_flag());
  for (FlagSpec& flag : output_flags()) all.push_back(std::move(flag));
  return all;
}

}  // namespace

void register_explain(CommandList& commands) {
  commands.add({.name = "explain",
                .summary = "where the time goes, kernel by kernel, and what would shorten it",
                .example = "paceline explain --model resnet50 --batch 8 --device cpu",
                .flags = flags(),
                .positionals = {},
                .run = run});
}

}  // namespace paceline
