#include "microbench/gpu/gpu_plugin.h"

#include "core/plugin.h"

namespace paceline {

const GpuPlugin& gpu_plugin() {
  try {
    void* entry =
        load_plugin(PACELINE_GPU_PLUGIN_NAME, PACELINE_GPU_PLUGIN_BUILD_FOLDER, kGpuPluginEntry);
    return *reinterpret_cast<const GpuPlugin* (*)()>(entry)();
  } catch (const Error& error) {
    throw MeasurementError(std::string("no CUDA benchmarks: ") + error.what());
  }
}

}  // namespace paceline
