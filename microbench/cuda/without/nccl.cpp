#include "microbench/cuda/libraries.h"
#include "microbench/cuda/unavailable.h"

namespace paceline {

void register_nccl(GpuBenchmarkRegistry& registry) {
  registry.add("nccl", "collectives of NCCL (not in this build)",
               std::make_unique<UnavailableGpuBenchmark>(
                   "built without it: install NCCL and configure with PACELINE_NCCL=ON"));
}

void describe_nccl(GpuLibraryVersions&) {}

}  // namespace paceline
