// A benchmark that stands for all benchmarks of a library this build does not have.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "microbench/gpu/gpu_under_test.h"

namespace paceline {

class UnavailableGpuBenchmark final : public GpuBenchmark {
 public:
  explicit UnavailableGpuBenchmark(std::string reason) : reason_(std::move(reason)) {}
  std::vector<Axes> design(GpuDesign, const GpuInfo&) const override { return {Axes{}}; }
  std::string unsupported(const GpuInfo&) const override { return reason_; }
  std::unique_ptr<GpuKernel> prepare(const Axes&, GpuUnderTest&) const override {
    throw MeasurementError(reason_);
  }

 private:
  std::string reason_;
};

}  // namespace paceline
