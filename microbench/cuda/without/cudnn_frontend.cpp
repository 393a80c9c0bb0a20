#include "microbench/cuda/cudnn/cudnn_handle.h"
#include "microbench/cuda/unavailable.h"

namespace paceline {

void register_cudnn_attention(GpuBenchmarkRegistry& registry) {
  registry.add("cudnn.attention", "fused attention of cuDNN (not in this build)",
               std::make_unique<UnavailableGpuBenchmark>(
                   "built without it: run cmake/get-cudnn-frontend and configure with "
                   "PACELINE_CUDNN_FRONTEND=ON"));
}

}  // namespace paceline
