// paceline explain: where the time of an iteration goes and what would shorten it.
#include <iostream>
#include <nlohmann/json.hpp>

#include "answers/explain/job_scale.h"
#include "cli/experiment_flags.h"
#include "cli/explanation_text.h"
#include "cli/first_screen.h"
#include "cli/html_file.h"
#include "cli/infeasible.h"
#include "cli/output.h"
#include "cli/run_sweep.h"
#include "cli/trace_comparison_text.h"
#include "cli/trace_file.h"
#include "core/json_writer.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kMostKernels = 10'000;
constexpr int kTimelineIterations = 2;  // what one leaves to the next shows in the second

Explanation explain(SweepResult& sweep, std::size_t kernels) {
  const Prediction& point = sweep.only("explain");
  const TrainingDevice& device = sweep.devices.at(sweep.experiments.front());
  const Experiment& experiment = point.report.experiment;
  const Predictor predictor;
  const Predict predict = [&](const Experiment& e) { return predictor.predict(e, device).report; };
  const LinkCatalog links = LinkCatalog::shipped();
  const Timeline timeline = predictor.timeline(point, device, kTimelineIterations);
  const PhaseScale scale = phase_scale(point.report, point.plan, timeline);
  Explanation out{point,
                  scale,
                  top_kernels(point.plan, scale, kernels),
                  device_sensitivities(point.plan, scale, point.report),
                  critical_path_parts(timeline),
                  kTimelineIterations,
                  exposed_communication(timeline),
                  network_sweep(experiment, predict, links)};
  for (Sensitivity& s : link_sensitivities(experiment, predict, links)) {
    out.sensitivities.push_back(std::move(s));
  }
  sort_by_gain(out.sensitivities);
  return out;
}

ordered_json json(const Explanation& e) {
  ordered_json out = to_json(e.point.report);
  out["sensitivities"] = to_json(e.sensitivities);
  out["critical_path"] = to_json(e.path);
  out["critical_path_iterations"] = e.path_iterations;
  out["communication"]["by_track"] = to_json(e.links);
  if (e.network) out["network_sweep"] = to_json(*e.network);
  out["implementations"] = implementations_json(e.point.plan, e.scale);
  out["kernels"] = kernels_json(e.kernels);
  return out;
}

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  const auto count = static_cast<std::size_t>(arguments.count_or("top", 15, kMostKernels));
  // A number of kernels is asked for to see that many.
  const bool all = wants_all(arguments) || arguments.has("top");
  if (arguments.has("all") && arguments.has("against")) {
    throw UsageError("--all has no effect with --against, whose layers --top N shows");
  }
  SweepResult sweep = run_sweep(arguments);
  const Explanation explanation = explain(sweep, count);
  if (arguments.has("trace")) {
    write_trace(explanation.point, sweep.devices.at(sweep.experiments.front()),
                arguments.text("trace"));
  }
  if (arguments.has("html")) write_html(arguments, sweep);
  if (arguments.has("against")) {
    write_result(arguments,
                 comparison_text(explanation.point, arguments.all("against"), format, count));
  } else if (format == OutputFormat::kJson) {
    write_result(arguments, to_json_text(json(explanation)));
  } else if (format == OutputFormat::kText) {
    write_result(arguments,
                 all ? explanation_tables(explanation) : explanation_screen(explanation));
  } else {
    const Seconds total(explanation.point.report.iteration_time_s.median);
    write_result(arguments,
                 kernel_table(explanation.kernels, total).to_string(table_format(format)));
  }
  return check_memory(sweep.reports, std::cerr);
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = experiment_flags();
  all.push_back(all_flag("every table: critical path, networks, kernels by kind and one by one"));
  all.push_back(
      {"top", "N", "how many kernels to list, default 15 (in text with --all, which it implies)"});
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
