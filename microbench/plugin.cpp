#include "microbench/plugin.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>

#include "core/error.h"

namespace paceline {
namespace {

std::filesystem::path plugin_file() {
  const std::filesystem::path name = PACELINE_CPU_PLUGIN_NAME;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const std::array<std::filesystem::path, 2> candidates = {
      program.parent_path().parent_path() / "lib" / "paceline" / name,
      std::filesystem::path(PACELINE_CPU_PLUGIN_BUILD_FOLDER) / name};
  for (const std::filesystem::path& candidate : candidates) {
    if (std::filesystem::exists(candidate)) return candidate;
  }
  throw MeasurementError("the kernel benchmarks are missing: " + candidates[0].string());
}

}  // namespace

const KernelPlugin& cpu_kernel_plugin() {
  const std::filesystem::path file = plugin_file();
  // Never closed: benchmarks, their virtual tables and OpenMP threads live in it. Loading it again
  // returns the same one.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw MeasurementError(std::string("cannot load ") + dlerror());
  void* symbol = dlsym(handle, kPluginEntry);
  if (symbol == nullptr) throw MeasurementError(file.string() + " has no " + kPluginEntry);
  return *reinterpret_cast<const KernelPlugin* (*)()>(symbol)();
}

}  // namespace paceline
