#include "microbench/cuda/libraries.h"
#include "microbench/cuda/runtime/runtime.h"

namespace paceline {

void register_runtime(GpuBenchmarkRegistry& registry) {
  register_launch(registry);
  register_memory(registry);
  register_copies(registry);
  register_overlap(registry);
}

}  // namespace paceline
