#include "microbench/plugin.h"

#include "core/plugin.h"

namespace paceline {

const KernelPlugin& cpu_kernel_plugin() {
  void* entry =
      load_plugin(PACELINE_CPU_PLUGIN_NAME, PACELINE_CPU_PLUGIN_BUILD_FOLDER, kPluginEntry);
  return *reinterpret_cast<const KernelPlugin* (*)()>(entry)();
}

}  // namespace paceline
