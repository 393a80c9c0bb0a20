// paceline calibrate: measurements to fitted parameters.
#include "calibration/plugin.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "cli/cluster_flags.h"
#include "cli/copy_calibration.h"
#include "cli/link_calibration.h"
#include "cli/output.h"
#include "cli/recipe_calibration.h"
#include "core/json_reader.h"
#include "core/json_writer.h"
#include "model/hardware/link_file.h"
#include "simulator/device/cpu_device.h"

namespace paceline {
namespace {

SourceFile source_of(const std::filesystem::path& file) {
  return {file.filename().string(), sha256_hex(read_text_file(file)), "CC0-1.0, own measurement"};
}

// Adds what the framework's own work costs.
void add_host_costs(const std::string& file, ParameterSet& parameters) {
  parameters.fits.push_back(calibration_plugin().fit_host(read_recording(file), parameters));
  parameters.sources.push_back(source_of(file));
}

constexpr char kHostAdvice[] =
    "no host costs: predictions will be refused until they are added; record them with: "
    "validation/recorders/record_pytorch.py --plan tiny -o tiny.json, and give --host-recording "
    "tiny.json";

bool has_host_costs(const ParameterSet& parameters) {
  return std::any_of(parameters.fits.begin(), parameters.fits.end(),
                     [](const Fit& fit) { return fit.formula == "framework.host/1"; });
}

void write_plots(const std::filesystem::path& folder, const CalibrationResult& result) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError(folder.string() + ": " + error.message());
  for (const auto& [implementation, svg] : result.plots) {
    write_text_file(folder / (implementation + ".svg"), svg);
  }
}

// What is wrong with a measurement is wrong with its file.
CalibrationResult fitted(const std::string& file, const MeasurementSet& measurements,
                         const CalibrateOptions& options) {
  try {
    return calibration_plugin().calibrate(measurements, options);
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
}

// What a file of measurements without a usable fit is worth saying.
std::string all_refused(const std::string& file, const CalibrationResult& result) {
  const auto& [implementation, reason] = *result.refused.begin();
  return file + ": no fit can be used, so nothing is written; " +
         std::to_string(result.refused.size()) + " refused, the first: " + implementation + ": " +
         reason;
}

void install(const ParameterSet& parameters) {
  const std::filesystem::path file = installed_cpu_parameters();
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) throw InputError(file.parent_path().string() + ": " + error.message());
  write_parameters(file, parameters);
  std::cerr << "installed as device cpu: " << file.string() << "\n";
}

ExitCode run_links(const Arguments& arguments, const MeasurementSet& measurements) {
  for (const char* flag : {"install", "host-recording", "plots"}) {
    if (arguments.has(flag)) throw UsageError(flag_text(flag) + " is for kernels, not for links");
  }
  LinkCalibration result = calibrate_links(arguments, measurements);
  result.parameters.sources = {source_of(arguments.text("FILE"))};
  for (const std::string& remark : result.remarks) std::cerr << remark << "\n";
  if (arguments.has("o")) write_parameters(arguments.text("o"), result.parameters);
  if (arguments.has("report")) arguments.out() << result.report;
  return ExitCode::kOk;
}

// The flags of a machine say nothing about kernels.
void refuse_machine(const Arguments& arguments) {
  for (const FlagSpec& flag : cluster_flags()) {
    if (!arguments.has(flag.name)) continue;
    throw UsageError(flag_text(flag.name) + " describes links, and the file holds no collectives");
  }
}

ExitCode run_copies(const Arguments& arguments, const MeasurementSet& measurements) {
  for (const char* flag : {"install", "host-recording", "plots"}) {
    if (arguments.has(flag)) throw UsageError(flag_text(flag) + " is for kernels, not for links");
  }
  refuse_machine(arguments);
  const CopyCalibration result = calibrate_copies(arguments, measurements);
  if (arguments.has("o")) write_text_file(arguments.text("o"), link_file_text(result.link));
  if (arguments.has("report")) arguments.out() << result.report;
  return ExitCode::kOk;
}

ExitCode run(const Arguments& arguments) {
  if (arguments.has("recipe")) return calibrate_recipe(arguments);
  for (const char* flag : {"data", "folder"}) {
    if (arguments.has(flag)) throw UsageError(flag_text(flag) + " goes with --recipe NAME");
  }
  const std::string file = arguments.text("FILE");
  const auto outputs = {"o", "install", "report", "plots"};
  if (std::none_of(outputs.begin(), outputs.end(),
                   [&](const char* flag) { return arguments.has(flag); })) {
    throw UsageError(
        "give -o FILE, --install, --report or --plots FOLDER, or the fit goes nowhere");
  }
  const MeasurementSet measurements = read_measurements(file);
  if (holds_copies(measurements)) return run_copies(arguments, measurements);
  if (arguments.has("link")) {
    throw UsageError("--link is of copies, and the file holds none of nvbandwidth");
  }
  if (holds_collectives(measurements)) return run_links(arguments, measurements);
  refuse_machine(arguments);
  CalibrateOptions options;
  options.argv = arguments.argv();
  options.sources = {source_of(file)};
  options.device = measurements.provenance.host.cpu;
  const bool of_gpu = measurements.provenance.libraries.contains("gpu");
  if (of_gpu && (arguments.has("install") || arguments.has("host-recording"))) {
    throw UsageError(
        "--install and --host-recording are for measurements of a CPU; give -o FILE, "
        "which predict --device takes");
  }
  CalibrationResult result = of_gpu ? calibration_plugin().calibrate_gpu(measurements, options)
                                    : fitted(file, measurements, options);
  if (result.parameters.fits.empty()) {
    if (arguments.has("report")) arguments.out() << result.report;
    throw InputError(all_refused(file, result));
  }
  if (const auto host = arguments.find("host-recording")) {
    add_host_costs(*host, result.parameters);
  }
  for (const auto& [implementation, reason] : result.refused) {
    std::cerr << "refused: " << implementation << ": " << reason << "\n";
  }
  if (!of_gpu && !has_host_costs(result.parameters)) std::cerr << kHostAdvice << "\n";
  if (arguments.has("o")) write_parameters(arguments.text("o"), result.parameters);
  if (arguments.has("plots")) write_plots(arguments.text("plots"), result);
  if (arguments.has("install")) install(result.parameters);
  if (arguments.has("report")) arguments.out() << result.report;
  return ExitCode::kOk;
}

}  // namespace

void register_calibrate(CommandList& commands) {
  std::vector<FlagSpec> flags = {
      {"host-recording", "FILE", "recorded iterations of a tiny network, for host costs"},
      {"install", "", "use the result as device cpu of this user"},
      {"report", "", "print how well each fit does"},
      {"plots", "FOLDER", "draw measured against fitted, one SVG per fit"},
      {"link", "NAME", "the link of the catalog that copies of nvbandwidth went over"},
      {"recipe", "NAME", "repeat this shipped fit (paceline list recipes) instead of fitting FILE"},
      {"data", "DIR", "the published timings that --recipe fits"},
      {"folder", "FOLDER", "write the parameter files of --recipe here"},
      output_flag("o", "write the parameters")};
  for (const FlagSpec& flag : cluster_flags()) flags.push_back(flag);
  commands.add(
      {.name = "calibrate",
       .summary = "fit the cost model to measurements of kernels, or of collectives on a machine",
       .example = "paceline calibrate measurements.json --install --report",
       .flags = flags,
       .positionals = {"FILE"},
       .run = run});
}

}  // namespace paceline
