// paceline measure: runs the microbenchmarks of this machine.
#include "microbench/measure.h"

#include <unistd.h>

#include <iostream>

#include "cli/output.h"
#include "cli/sweep.h"
#include "core/names.h"

namespace paceline {
namespace {

constexpr std::int64_t kMostRounds = 1000;
constexpr std::int64_t kMostThreads = 4096;

MeasureOptions read_options(const Arguments& arguments) {
  const std::string device = arguments.text("device");
  if (same_name(device, "cuda")) throw UsageError("--device cuda is not supported yet; use cpu");
  if (!same_name(device, "cpu"))
    throw UsageError("--device \"" + device + "\" cannot be measured; use cpu");
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

ExitCode run(const Arguments& arguments) {
  const MeasureOptions options = read_options(arguments);
  const MeasurementSet set = measure(options, show);
  if (::isatty(STDERR_FILENO) != 0) std::cerr << "\r\033[K";
  std::size_t skipped = 0;
  for (const Measurement& result : set.results) skipped += result.skipped ? 1 : 0;
  arguments.out() << options.file.string() << ": " << set.results.size() - skipped << " results, "
                  << skipped << " skipped\n";
  for (const std::string& warning : set.warnings) std::cerr << "warning: " << warning << "\n";
  return ExitCode::kOk;
}

}  // namespace

void register_measure(CommandList& commands) {
  commands.add({.name = "measure",
                .summary = "run the microbenchmarks of this machine",
                .example = "paceline measure --device cpu --quick -o measurements.json",
                .flags = {{"device", "cpu", "what to measure"},
                          {"quick", "", "fewer shapes"},
                          {"rounds", "N", "passes over all shapes, default 1"},
                          {"threads", "LIST", "thread counts, default 1 and all cores"},
                          {"only", "LIST", "benchmarks or libraries: openblas.sgemm,aten"},
                          {"append", "", "add rounds to FILE, which this machine wrote before"},
                          output_flag("o", "the measurements (required)")},
                .positionals = {},
                .run = run});
}

}  // namespace paceline
