// Of a build without CUDA.
#include "microbench/gpu/gpu_plugin.h"

namespace paceline {

const GpuPlugin& gpu_plugin() {
  throw MeasurementError(
      "this build has no CUDA benchmarks: install the CUDA toolkit and configure with "
      "PACELINE_CUDA=ON");
}

}  // namespace paceline
