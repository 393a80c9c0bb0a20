// The plug-in's entry: the benchmarks of all compute libraries on this machine's CPU.
#include "microbench/plugin.h"

#include "microbench/cpu/libraries.h"
#include "microbench/cpu/threads.h"

namespace paceline {
namespace {

void register_cpu_benchmarks(BenchmarkRegistry& registry) {
  register_aten(registry);
  register_onednn(registry);
  register_openblas(registry);
  register_system(registry);
}

LibraryVersions library_versions() {
  LibraryVersions versions;
  describe_openblas(versions);
  describe_onednn(versions);
  describe_aten(versions);
  return versions;
}

constexpr KernelPlugin kPlugin = {register_cpu_benchmarks, set_kernel_threads, library_versions};

}  // namespace
}  // namespace paceline

extern "C" __attribute__((visibility("default"))) const paceline::KernelPlugin*
paceline_kernel_plugin() {
  return &paceline::kPlugin;
}
