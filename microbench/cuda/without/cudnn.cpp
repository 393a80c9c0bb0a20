#include "microbench/cuda/libraries.h"
#include "microbench/cuda/unavailable.h"

namespace paceline {

void register_cudnn(GpuBenchmarkRegistry& registry) {
  registry.add("cudnn", "convolutions, recurrent and other layers of cuDNN (not in this build)",
               std::make_unique<UnavailableGpuBenchmark>(
                   "built without it: install cuDNN 9 and configure with PACELINE_CUDNN=ON"));
}

void describe_cudnn(GpuLibraryVersions&) {}

}  // namespace paceline
