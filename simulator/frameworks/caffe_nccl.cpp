// Caffe with NCCL, a reduction per layer: all of it is in model/catalog/frameworks/caffe-nccl.json.
#include "simulator/frameworks/gpu/gpu_framework.h"

namespace paceline {

void register_caffe_nccl(FrameworkRegistry& registry) {
  registry.add("caffe-nccl", "Caffe with NCCL, a reduction per layer",
               [] { return make_gpu_framework("caffe-nccl"); });
}

}  // namespace paceline
