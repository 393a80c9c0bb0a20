// paceline predict: one experiment, or a sweep, to iteration time, interval and reasons.
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/experiment_flags.h"
#include "cli/html_file.h"
#include "cli/output.h"
#include "cli/prediction_text.h"
#include "cli/run_sweep.h"
#include "cli/trace_file.h"
#include "core/json_writer.h"

namespace paceline {
namespace {

std::string render(const SweepResult& sweep, OutputFormat format, bool single) {
  if (format == OutputFormat::kJson) {
    if (single) return to_json_text(to_json(sweep.points.front().report));
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Prediction& point : sweep.points) list.push_back(to_json(point.report));
    return to_json_text(list);
  }
  if (format == OutputFormat::kText && single) {
    return prediction_screen(sweep.points.front().report);
  }
  return prediction_table(sweep.reports()).to_string(table_format(format));
}

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  const SweepResult sweep = run_sweep(arguments);
  const bool single = sweep.points.size() == 1 && sweep.errors.empty();
  if (arguments.has("trace")) {
    if (!single) throw UsageError("--trace writes one experiment; this is a sweep");
    write_trace(sweep.points.front(), arguments.text("trace"));
  }
  if (arguments.has("html")) {
    if (single) {
      write_html(arguments, sweep.points.front());
    } else {
      write_html(arguments, {.reports = sweep.reports()});
    }
  }
  write_result(arguments, render(sweep, format, single));
  for (const std::string& error : sweep.errors) std::cerr << "paceline: skipped: " << error << "\n";
  bool fits = false;
  for (const Prediction& point : sweep.points) fits = fits || point.report.memory.fits();
  return fits ? ExitCode::kOk : ExitCode::kInfeasible;
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = experiment_flags();
  all.push_back(output_flag("trace", "write the simulated iteration for ui.perfetto.dev"));
  all.push_back(html_flag());
  for (FlagSpec& flag : output_flags()) all.push_back(std::move(flag));
  return all;
}

}  // namespace

void register_predict(CommandList& commands) {
  commands.add({.name = "predict",
                .summary = "how long a training iteration takes, and why",
                .example = "paceline predict --model resnet50 --batch 8 --device cpu",
                .flags = flags(),
                .positionals = {},
                .run = run});
}

}  // namespace paceline
