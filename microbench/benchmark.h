// A microbenchmark: one compute-library call (or one property of the machine) in the shapes that
// training gives it. One file per benchmark or closely related group, in microbench/cpu/<library>/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
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

// All benchmarks, named after the implementation they measure, the key under which its parameters
// are fitted: "openblas.sgemm", "onednn.conv". Names are exact, unlike those of a Registry: ATen's
// "add" and "add_" are two kernels.
class BenchmarkRegistry {
 public:
  struct Entry {
    std::string name;
    std::string summary;
    std::unique_ptr<const Benchmark> benchmark;
  };

  void add(std::string name, std::string summary, std::unique_ptr<const Benchmark> benchmark) {
    for (const Entry& entry : entries_) {
      PACELINE_ASSERT(entry.name != name, "each name is registered once");
    }
    entries_.push_back({std::move(name), std::move(summary), std::move(benchmark)});
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace paceline
