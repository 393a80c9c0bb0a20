// paceline predict: one experiment, or a sweep, to iteration time, interval and reasons.
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/experiment_flags.h"
#include "cli/html_file.h"
#include "cli/infeasible.h"
#include "cli/output.h"
#include "cli/prediction_text.h"
#include "cli/run_sweep.h"
#include "cli/trace_file.h"
#include "core/json_writer.h"

namespace paceline {
namespace {

std::string render(const SweepResult& sweep, OutputFormat format) {
  if (format == OutputFormat::kJson) {
    if (sweep.single) return to_json_text(to_json(sweep.single->report));
    JsonListText list;
    for (const Report& report : sweep.reports) list.add(to_json(report));
    return std::move(list).take();
  }
  if (format == OutputFormat::kText && sweep.single) return prediction_screen(sweep.single->report);
  return prediction_table(sweep.reports, format == OutputFormat::kText)
      .to_string(table_format(format));
}

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  SweepResult sweep = run_sweep(arguments);
  if (arguments.has("trace")) {
    const Prediction& point = sweep.only("--trace");
    write_trace(point, sweep.devices.at(sweep.experiments.front()), arguments.text("trace"));
  }
  if (arguments.has("html")) write_html(arguments, sweep);
  write_result(arguments, render(sweep, format));
  sweep.skipped.print(std::cerr);
  return check_memory(sweep.reports, std::cerr);
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
