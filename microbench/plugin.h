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

// Loaded by the first call (core/plugin.h).
const KernelPlugin& cpu_kernel_plugin();

}  // namespace paceline
