// Runs the microbenchmarks of this machine's CPU and returns their measurements: what
// `paceline measure` does. Protocol and its reasons: docs/measuring.md.
//
//   MeasureOptions options;
//   options.quick = true;
//   options.file = "measurements.json";
//   MeasurementSet set = measure(options, [](const MeasureProgress& p) { ... });
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "traces/measurement/measurement.h"

namespace paceline {

struct MeasureOptions {
  bool quick = false;
  int rounds = 1;            // over the whole design
  std::vector<int> threads;  // empty: 1 and the number of processors
  // Time for the samples of one result; at least three are taken whatever it is.
  Seconds result_budget{0.15};
  // No result is started after this time.
  std::optional<Seconds> time_budget;
  // Benchmarks by name ("onednn.conv") or by library ("aten"); empty: all.
  std::vector<std::string> only;
  // Written after every few seconds of measuring and at the end, whole or not at all; also when the
  // process is interrupted, after which the signal is raised again. Empty: not written.
  std::filesystem::path file;
  // Adds rounds to what `file` holds, if it exists and comes from this machine and these libraries.
  bool append = false;
  std::vector<std::string> argv;  // for the provenance
};

struct MeasureProgress {
  int round = 0;  // from 1
  int rounds = 0;
  std::size_t done = 0;  // results of this round
  std::size_t total = 0;
  std::string benchmark;  // the next one
  Axes axes;
};

// Throws UsageError for impossible options, InputError for a file that cannot be continued.
// Everything that could not be measured is in the set as skipped, with the reason; doubts about the
// numbers are in its warnings.
MeasurementSet measure(const MeasureOptions& options,
                       const std::function<void(const MeasureProgress&)>& progress = {});

struct BenchmarkInfo {
  std::string name;
  std::string summary;
  std::string unsupported;  // why it cannot run here; empty if it can
  std::size_t full_shapes = 0;
  std::size_t quick_shapes = 0;
};
std::vector<BenchmarkInfo> list_benchmarks();

// All shapes of the full or quick design, without threads, so that a test can show that none of
// them is validated on.
struct DesignPoint {
  std::string benchmark;
  Axes axes;
};
std::vector<DesignPoint> measurement_design(bool quick);

}  // namespace paceline
