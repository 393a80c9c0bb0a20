// Runs the GPU benchmarks: what `paceline measure --device cuda` does (docs/measuring.md).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "microbench/gpu/gpu_plugin.h"
#include "microbench/gpu/gpu_rounds.h"
#include "microbench/gpu/gpu_under_test.h"

namespace paceline {

struct MeasureGpuOptions {
  bool quick = false;
  int index = 0;  // of the GPU
  // No case is started after this; default 100 s quick, 440 s full.
  std::optional<Seconds> time_budget;
  std::vector<std::string> only;
  std::filesystem::path file;  // empty: not written
  // Continues what `file` holds, if it exists and comes from this GPU and these libraries: results
  // in it are kept, those skipped are tried again.
  bool resume = false;
  // The catalog's name of a GPU that calls itself so.
  std::function<std::string(const std::string&)> device_name = [](const std::string& name) {
    return name;
  };
  std::vector<std::string> argv;  // for the provenance
};

struct MeasuredGpu {
  MeasurementSet set;
  GpuRunOutcome outcome;
  std::size_t cases = 0;
};

// Throws MeasurementError with what is missing if there is no GPU to measure, InputError if `file`
// cannot be continued. Everything else that goes wrong is in the set, as skipped with the reason.
MeasuredGpu measure_gpu(const MeasureGpuOptions& options, const GpuPlugin& plugin,
                        const std::function<void(std::size_t done, std::size_t total,
                                                 const GpuCase& next)>& progress = {});

}  // namespace paceline
