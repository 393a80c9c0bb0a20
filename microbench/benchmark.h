// A microbenchmark: one compute-library call (or one property of the machine) in the shapes that
// training gives it. One file per benchmark or closely related group, in microbench/cpu/<library>/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "microbench/named_benchmarks.h"
#include "traces/measurement/measurement.h"

namespace paceline {

class Workspace;

// A kernel with its operands in place, ready to be timed.
class PreparedKernel {
 public:
  virtual ~PreparedKernel() = default;
  // Executes the kernel once. Cold operands: each call takes the next set (harness/operand_sets.h).
  virtual void run() = 0;
  // Compares the result with a plain reference on (part of) the output; throws MeasurementError.
  virtual void check() = 0;
};

enum class DesignSize { kFull, kQuick };

class Benchmark {
 public:
  virtual ~Benchmark() = default;
  // The shapes to measure, without the axis "threads", which the harness adds. None of them occurs
  // in a network that is used for validation (docs/measuring.md).
  virtual std::vector<Axes> design(DesignSize size) const = 0;
  // Why this machine or build cannot run it; empty if it can.
  virtual std::string unsupported() const { return ""; }
  // False if the number of threads makes no difference: measured with one only.
  virtual bool threaded() const { return true; }
  // True if the library allocates its results in every call: the heap is then kept resident.
  virtual bool allocates() const { return false; }
  // `axes` holds one element of the design and "threads", already set in the libraries.
  virtual std::unique_ptr<PreparedKernel> prepare(const Axes& axes, Workspace& workspace) const = 0;
};

using BenchmarkRegistry = NamedBenchmarks<Benchmark>;

}  // namespace paceline
