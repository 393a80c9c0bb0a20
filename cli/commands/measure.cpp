// paceline measure: runs the microbenchmarks of this machine.
#include "microbench/measure.h"

#include <unistd.h>

#include <iostream>

#include "cli/output.h"
#include "cli/sweep.h"
#include "core/names.h"
#include "core/units_text.h"
#include "microbench/gpu/measure_gpu.h"
#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

constexpr std::int64_t kMostRounds = 1000;
constexpr std::int64_t kMostThreads = 4096;

// Flags that only one of the devices has.
void refuse_others(const Arguments& arguments, const std::vector<const char*>& flags,
                   const std::string& device) {
  for (const char* flag : flags) {
    if (arguments.has(flag)) {
      throw UsageError(flag_text(flag) + " does not apply to --device " + device);
    }
  }
}

MeasureOptions read_options(const Arguments& arguments) {
  refuse_others(arguments, {"gpu", "budget"}, "cpu");
  MeasureOptions options;
  options.quick = arguments.has("quick");
  options.rounds = static_cast<int>(arguments.count_or("rounds", 1, kMostRounds));
  if (const auto threads = arguments.find("threads")) {
    for (const std::int64_t count : parse_counts("--threads", *threads, kMostThreads)) {
      options.threads.push_back(static_cast<int>(count));
    }
  }
  if (const auto only = arguments.find("only")) options.only = parse_names("--only", *only);
  options.append = arguments.has("append");
  options.file = arguments.text("o");
  options.argv = arguments.argv();
  return options;
}

// One line that overwrites itself; nothing when stderr is not a terminal.
void show(const MeasureProgress& progress) {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::cerr << "\r\033[Kround " << progress.round << "/" << progress.rounds << "  " << progress.done
            << "/" << progress.total << "  " << progress.benchmark << std::flush;
}

void print_summary(const Arguments& arguments, const MeasurementSet& set) {
  if (::isatty(STDERR_FILENO) != 0) std::cerr << "\r\033[K";
  std::size_t skipped = 0;
  for (const Measurement& result : set.results) skipped += result.skipped ? 1 : 0;
  arguments.out() << arguments.text("o") << ": " << set.results.size() - skipped << " results, "
                  << skipped << " skipped\n";
  for (const std::string& warning : set.warnings) std::cerr << "warning: " << warning << "\n";
}

ExitCode run_cpu(const Arguments& arguments) {
  const MeasureOptions options = read_options(arguments);
  print_summary(arguments, measure(options, show));
  return ExitCode::kOk;
}

MeasureGpuOptions read_gpu_options(const Arguments& arguments, const DeviceCatalog& catalog) {
  refuse_others(arguments, {"rounds", "threads"}, "cuda");
  MeasureGpuOptions options;
  options.quick = arguments.has("quick");
  options.resume = arguments.has("append");
  options.file = arguments.text("o");
  options.argv = arguments.argv();
  if (const auto only = arguments.find("only")) options.only = parse_names("--only", *only);
  if (const auto gpu = arguments.find("gpu")) {
    options.index = static_cast<int>(parse_count("--gpu", *gpu, 0, 1023));
  }
  if (const auto budget = arguments.find("budget")) {
    options.time_budget = parse_quantity<Seconds>(*budget);
    if (!(*options.time_budget > Seconds(0))) throw UsageError("--budget must be positive");
  }
  // A GPU that the catalog lacks keeps the name it gives itself; calibrate then says what to add.
  options.device_name = [&catalog](const std::string& name) {
    const DeviceSpec* known = catalog.find(name);
    return known == nullptr ? name : known->name;
  };
  return options;
}

ExitCode run_gpu(const Arguments& arguments) {
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  const MeasureGpuOptions options = read_gpu_options(arguments, catalog);
  const auto show_case = [](std::size_t done, std::size_t total, const GpuCase& next) {
    if (::isatty(STDERR_FILENO) == 0) return;
    std::cerr << "\r\033[K" << done << "/" << total << "  " << next.benchmark << std::flush;
  };
  try {
    print_summary(arguments, measure_gpu(options, gpu_plugin(), show_case).set);
  } catch (const MeasurementError& error) {
    throw Error(ExitCode::kInfeasible, std::string("cannot measure a GPU here: ") + error.what());
  }
  return ExitCode::kOk;
}

ExitCode run(const Arguments& arguments) {
  const std::string device = arguments.text("device");
  if (device == "cpu") return run_cpu(arguments);
  if (device == "cuda") return run_gpu(arguments);
  throw UsageError("--device \"" + device + "\" cannot be measured; use cpu or cuda");
}

}  // namespace

void register_measure(CommandList& commands) {
  commands.add({.name = "measure",
                .summary = "run the microbenchmarks of this machine",
                .example = "paceline measure --device cpu --quick -o measurements.json",
                .flags = {{"device", "cpu|cuda", "what to measure"},
                          {"quick", "", "fewer shapes"},
                          {"rounds", "N", "passes over all shapes, default 1"},
                          {"threads", "LIST", "thread counts, default 1 and all cores"},
                          {"only", "LIST", "benchmarks or libraries: openblas.sgemm,aten"},
                          {"append", "", "add to FILE, which this machine wrote before"},
                          {"gpu", "N", "which GPU, default 0 (cuda)"},
                          {"budget", "TIME",
                           "start nothing after this; default 100 s quick, else 440 s (cuda)"},
                          output_flag("o", "the measurements (required)")},
                .positionals = {},
                .run = run});
}

}  // namespace paceline
