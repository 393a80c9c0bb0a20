// Runs the cases of a GPU's design within a time budget and adds them to a MeasurementSet, which is
// valid at every moment. Clock, GPU and kernels are injected, so that all of this is tested with
// numbers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "microbench/gpu/gpu_under_test.h"
#include "microbench/harness/sampler.h"

namespace paceline {

struct GpuCase {
  std::string benchmark;
  const GpuBenchmark* definition = nullptr;
  Axes axes;  // of the design, and "device"
};

// Every element of the designs of `registry`, benchmarks by turns, so that a run that is cut short
// has something of each: first the first of every benchmark, then the second. `only` names
// benchmarks ("cudnn.conv") or libraries ("cudnn"); throws UsageError if one names nothing.
std::vector<GpuCase> plan_gpu_cases(const GpuBenchmarkRegistry& registry, GpuDesign size,
                                    const GpuInfo& gpu, const std::string& device_name,
                                    const std::vector<std::string>& only);

struct GpuRunContext {
  Clock clock;
  SamplingLimits limits;
  // No case is started after this time; those left are recorded as skipped.
  std::optional<Seconds> time_budget;
  std::function<bool()> interrupted = [] { return false; };
  // A result during which the clock moved by more is taken again, then kept as not accepted.
  double clock_tolerance = 0.02;
  // Results that the set has already are left as they are.
  bool resume = false;
  // Before each case: how many are done, and the case.
  std::function<void(std::size_t, const GpuCase&)> on_case;
  // After each case, at most this often: writes the set.
  std::function<void()> save;
  Seconds save_every{5};
};

struct GpuRunOutcome {
  std::size_t measured = 0;
  std::size_t skipped = 0;
  std::size_t kept = 0;     // of an earlier run
  std::string ended_early;  // why; empty if it did not
};

// Never throws for what happens to a single case or to the GPU: that is recorded.
GpuRunOutcome measure_gpu_cases(const std::vector<GpuCase>& cases, GpuUnderTest& device,
                                const GpuRunContext& context, MeasurementSet& set);

// What a reader of the set should know: unknown clocks, throttling, results that were not accepted.
std::vector<std::string> gpu_warnings(const MeasurementSet& set, const GpuInfo& gpu);

}  // namespace paceline
