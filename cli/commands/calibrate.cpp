// paceline calibrate: measurements to fitted parameters.
#include "calibration/plugin.h"

#include <filesystem>
#include <iostream>

#include "cli/output.h"
#include "core/json_reader.h"
#include "core/json_writer.h"
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

void install(const ParameterSet& parameters) {
  const std::filesystem::path file = installed_cpu_parameters();
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) throw InputError(file.parent_path().string() + ": " + error.message());
  write_parameters(file, parameters);
  std::cerr << "installed as device cpu: " << file.string() << "\n";
}

ExitCode run(const Arguments& arguments) {
  const std::string file = arguments.text("FILE");
  if (!arguments.has("o") && !arguments.has("install") && !arguments.has("report")) {
    throw UsageError("give -o FILE, --install or --report, or the fit goes nowhere");
  }
  CalibrateOptions options;
  options.argv = arguments.argv();
  options.sources = {source_of(file)};
  const MeasurementSet measurements = read_measurements(file);
  options.device = measurements.provenance.host.cpu;
  const bool of_gpu = measurements.provenance.libraries.contains("gpu");
  if (of_gpu && (arguments.has("install") || arguments.has("host-recording"))) {
    throw UsageError(
        "--install and --host-recording are for measurements of a CPU; give -o FILE, "
        "which predict --device takes");
  }
  CalibrationResult result = of_gpu ? calibration_plugin().calibrate_gpu(measurements, options)
                                    : calibration_plugin().calibrate(measurements, options);
  if (const auto host = arguments.find("host-recording")) {
    add_host_costs(*host, result.parameters);
  }
  for (const auto& [implementation, reason] : result.refused) {
    std::cerr << "refused: " << implementation << ": " << reason << "\n";
  }
  if (arguments.has("o")) write_parameters(arguments.text("o"), result.parameters);
  if (arguments.has("install")) install(result.parameters);
  if (arguments.has("report")) arguments.out() << result.report;
  return ExitCode::kOk;
}

}  // namespace

void register_calibrate(CommandList& commands) {
  commands.add({.name = "calibrate",
                .summary = "fit the cost model to measurements",
                .example = "paceline calibrate measurements.json --install --report",
                .flags = {{"host-recording", "FILE",
                           "recorded iterations of a tiny network, for host costs"},
                          {"install", "", "use the result as device cpu of this user"},
                          {"report", "", "print how well each fit does"},
                          {"o", "FILE", "write the parameters"}},
                .positionals = {"FILE"},
                .run = run});
}

}  // namespace paceline
