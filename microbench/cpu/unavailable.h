// A benchmark that stands for all benchmarks of a library this build does not have.
#pragma once

#include <memory>
#include <string>

#include "core/error.h"
#include "microbench/benchmark.h"

namespace paceline {

class UnavailableBenchmark final : public Benchmark {
 public:
  explicit UnavailableBenchmark(std::string reason) : reason_(std::move(reason)) {}
  std::vector<Axes> design(DesignSize) const override { return {Axes{}}; }
  std::string unsupported() const override { return reason_; }
  bool threaded() const override { return false; }
  std::unique_ptr<PreparedKernel> prepare(const Axes&, Workspace&) const override {
    throw MeasurementError(reason_);
  }

 private:
  std::string reason_;
};

}  // namespace paceline
