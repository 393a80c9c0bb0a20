// paceline compare: the points of a sweep side by side.
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/experiment_flags.h"
#include "cli/output.h"
#include "cli/prediction_text.h"
#include "cli/run_sweep.h"
#include "core/json_writer.h"

namespace paceline {
namespace {

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  const SweepResult sweep = run_sweep(arguments);
  if (format == OutputFormat::kJson) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Prediction& point : sweep.points) list.push_back(to_json(point.report));
    write_result(arguments, to_json_text(list));
  } else {
    write_result(arguments, prediction_table(sweep.reports()).to_string(table_format(format)));
  }
  for (const std::string& error : sweep.errors) std::cerr << "paceline: skipped: " << error << "\n";
  return ExitCode::kOk;
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = experiment_flags();
  for (FlagSpec& flag : output_flags()) all.push_back(std::move(flag));
  return all;
}

}  // namespace

void register_compare(CommandList& commands) {
  commands.add({.name = "compare",
                .summary = "several experiments side by side",
                .example = "paceline compare --model alexnet,resnet50 --batch 8-32*2 --device cpu",
                .flags = flags(),
                .positionals = {},
                .run = run});
}

}  // namespace paceline
