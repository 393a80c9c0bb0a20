// A GPU as the harness sees it: what it is, how it is doing, and how long launches take. The CUDA
// plug-in implements it (microbench/cuda); tests use a fake one, so that planning, checking,
// stopping, skipping and writing need no GPU.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "microbench/named_benchmarks.h"
#include "traces/measurement/measurement.h"

namespace paceline {

// The GPU fell off the bus or its driver reported an error that no later call survives: nothing
// more can be measured.
class GpuLost : public MeasurementError {
 public:
  using MeasurementError::MeasurementError;
};

struct GpuInfo {
  std::string name;    // "NVIDIA H100 80GB HBM3"
  std::string driver;  // "580.65.06"
  int index = 0;
  int count = 1;  // GPUs that this process may use
  int capability_major = 0, capability_minor = 0;
  int multiprocessors = 0;
  Bytes memory;
  Bytes l2_cache;
  bool is_partition = false;  // MIG: a slice, whose clock and power are not to be had
};

// A reading of the management library; absent values where it does not tell.
struct GpuCondition {
  double sm_clock_hz = 0;       // 0: not known
  double memory_clock_hz = 0;   // likewise
  double power_w = 0;           // likewise
  double temperature_c = 0;     // likewise
  int other_processes = 0;      // that compute on it
  std::int64_t ecc_errors = 0;  // uncorrected, since the driver was loaded
  std::string throttling;       // why the clock is held down: "power", "heat"; empty if it is not
};

// What is timed, with its operands in place.
class GpuKernel {
 public:
  virtual ~GpuKernel() = default;
  // Starts the kernel once and does not wait.
  virtual void launch() = 0;
  // Compares the result with a plain reference; throws MeasurementError.
  virtual void check() = 0;
  // What the library chose: {"algorithm": "implicit_precomp_gemm", "workspace_bytes": 8192}.
  virtual Axes facts() const { return {}; }
  // Benchmarks that are no sequence of launches (a copy between two GPUs, a collective, the host's
  // own time) take `calls` of them by their own clock and return the whole time; zero: no clock of
  // its own.
  virtual Seconds time_itself(int /*calls*/) { return Seconds(0); }
};

class GpuUnderTest {
 public:
  virtual ~GpuUnderTest() = default;
  virtual GpuInfo info() const = 0;
  virtual GpuCondition condition() = 0;
  // Device time of `calls` launches, one after another; `cold`: the cache is overwritten before
  // each, and only the launches count. Throws MeasurementError, or GpuLost.
  virtual Seconds time(GpuKernel& kernel, int calls, bool cold) = 0;
};

enum class GpuDesign { kFull, kQuick };

class GpuBenchmark {
 public:
  virtual ~GpuBenchmark() = default;
  // Shapes to measure on this GPU, most informative first. None occurs in a network that is used
  // for validation.
  virtual std::vector<Axes> design(GpuDesign size, const GpuInfo& gpu) const = 0;
  // Why it cannot run on this GPU or in this build; empty if it can.
  virtual std::string unsupported(const GpuInfo& /*gpu*/) const { return ""; }
  // Throws MeasurementError with the reason if this shape cannot run (memory, an algorithm that the
  // library refuses), GpuLost if nothing can.
  virtual std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest& device) const = 0;
};

using GpuBenchmarkRegistry = NamedBenchmarks<GpuBenchmark>;

}  // namespace paceline
