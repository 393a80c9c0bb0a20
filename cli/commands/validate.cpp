// paceline validate: predicted against recorded training runs.
#include <nlohmann/json.hpp>

#include "cli/first_screen.h"
#include "cli/output.h"
#include "cli/parse_share.h"
#include "cli/sweep.h"
#include "core/data_directory.h"
#include "core/json_writer.h"
#include "core/names.h"
#include "simulator/device/cpu_device.h"
#include "simulator/report/kernel_accuracy.h"
#include "validation/harness/validation_screen.h"
#include "validation/harness/validation_text.h"

namespace paceline {
namespace {

std::vector<ValidationSet> chosen_sets(const Arguments& arguments) {
  const bool recording = arguments.has("recording");
  if (recording != arguments.has("device")) {
    throw UsageError("--recording and --device go together");
  }
  if (!recording) {
    if (arguments.has("fail-above")) {
      throw UsageError("--fail-above goes with --recording; shipped sets state their own limits");
    }
    const auto only = arguments.find("only");
    return shipped_validation_sets(only ? parse_names("--only", *only)
                                        : std::vector<std::string>());
  }
  if (arguments.has("only")) throw UsageError("--only chooses shipped sets, not --recording");
  Thresholds thresholds;
  if (const auto limit = arguments.find("fail-above"))
    thresholds.mape = parse_share("--fail-above", *limit, kAnyShare);
  std::vector<ValidationSet> sets;
  for (const std::string& file : parse_names("--recording", arguments.text("recording"))) {
    std::string parameters = arguments.text("device");
    if (same_name(parameters, "cpu")) parameters = installed_cpu_parameters().string();
    for (ValidationSet& set : sets_of_recording(file, parameters, thresholds)) {
      sets.push_back(std::move(set));
    }
  }
  return sets;
}

std::string render(const Validation& validation, OutputFormat format, bool all) {
  switch (format) {
    case OutputFormat::kJson:
      return to_json_text(to_json(validation));
    case OutputFormat::kMarkdown:
      return accuracy_document(validation);
    case OutputFormat::kCsv:
      return case_table(validation).to_string(TableFormat::kCsv);
    case OutputFormat::kText:
      break;
  }
  return validation_screen(validation, all);
}

// Kernels instead of training runs: the residuals beside the shipped fits of GPUs.
ExitCode run_kernels(const Arguments& arguments, OutputFormat format) {
  for (const char* flag : {"only", "recording", "device", "fail-above", "all"}) {
    if (arguments.has(flag)) throw UsageError(flag_text(flag) + " does not go with --kernels");
  }
  const FoldResidualFile residuals =
      read_fold_residuals(data_directory() / "calibration/fitted/gpu/residuals.json");
  if (format == OutputFormat::kJson) {
    write_result(arguments, to_json_text(kernel_accuracy_json(residuals)));
  } else if (format == OutputFormat::kMarkdown) {
    write_result(arguments, kernel_accuracy_document(residuals));
  } else {
    write_result(arguments,
                 kernel_score_table(score_kernels(residuals), format == OutputFormat::kText)
                     .to_string(table_format(format)));
  }
  return ExitCode::kOk;
}

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  const bool all = wants_all(arguments);
  if (arguments.has("kernels")) return run_kernels(arguments, format);
  const Validation validation = validate(chosen_sets(arguments));
  write_result(arguments, render(validation, format, all));
  return validation.passed() ? ExitCode::kOk : ExitCode::kCheck;
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = {
      {"only", "SET,...", "shipped sets to run, default all"},
      {"recording", "FILE,...", "score these recordings instead"},
      {"device", "FILE", "with these parameters"},
      {"kernels", "", "kernels of GPUs instead: how far the shipped fits are from public timings"},
      {"fail-above", "SHARE", "exit 4 if the MAPE of a recording is above, e.g. 20%"}};
  all.push_back(all_flag("every set, case and remark"));
  for (FlagSpec& flag : output_flags()) all.push_back(std::move(flag));
  return all;
}

}  // namespace

void register_validate(CommandList& commands) {
  commands.add({.name = "validate",
                .summary = "predicted against recorded training runs",
                .example = "paceline validate",
                .flags = flags(),
                .positionals = {},
                .run = run});
}

}  // namespace paceline
