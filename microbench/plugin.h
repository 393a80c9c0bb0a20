// The kernel benchmarks are a plug-in, loaded when measuring: linking libtorch into the program
// would add half a second to the start of every command.
#pragma once

#include <map>
#include <string>

#include "microbench/benchmark.h"

namespace paceline {

struct KernelPlugin {
  void (*register_benchmarks)(BenchmarkRegistry&) = nullptr;
  // Sets and binds the threads of every library (cpu/threads.h).
  void (*set_threads)(int) = nullptr;
  // Versions of what computes, for the provenance: "openblas" -> "OpenBLAS 0.3.21 ...".
  std::map<std::string, std::string> (*libraries)() = nullptr;
};

// Name of the one symbol that a plug-in exports: extern "C" const KernelPlugin* ().
inline constexpr char kPluginEntry[] = "paceline_kernel_plugin";

// The plug-in stays loaded until the process ends. Looked for in ../lib/paceline beside the
// program, then in the build tree. Throws MeasurementError if it is missing or cannot be loaded.
const KernelPlugin& cpu_kernel_plugin();

}  // namespace paceline
