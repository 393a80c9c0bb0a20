// The GPU benchmarks are a plug-in, loaded when measuring: a program that links cuDNN does not
// start on a machine without it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "microbench/gpu/gpu_under_test.h"

namespace paceline {

struct GpuPlugin {
  void (*register_benchmarks)(GpuBenchmarkRegistry&) = nullptr;
  // Throws MeasurementError with the reason if there is no such GPU, or none that can be used.
  std::unique_ptr<GpuUnderTest> (*open)(int index) = nullptr;
  // Versions of what computes, for the provenance: "cudnn" -> "9.19.0".
  std::map<std::string, std::string> (*libraries)() = nullptr;
};

// Name of the one symbol that the plug-in exports: extern "C" const GpuPlugin* ().
inline constexpr char kGpuPluginEntry[] = "paceline_gpu_plugin";

// Loaded by the first call (core/plugin.h). Throws MeasurementError with what is missing if this
// build or machine has none.
const GpuPlugin& gpu_plugin();

}  // namespace paceline
