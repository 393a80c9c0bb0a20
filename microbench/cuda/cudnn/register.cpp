#include "microbench/cuda/cudnn/cudnn_handle.h"
#include "microbench/cuda/libraries.h"

namespace paceline {

void check_cudnn(cudnnStatus_t status, const char* call, std::source_location where) {
  if (status != CUDNN_STATUS_SUCCESS) {
    library_failed("cuDNN", cudnnGetErrorString(status), call, where);
  }
}

cudnnDataType_t cudnn_type(ElementType type) {
  if (type == ElementType::kFp16) return CUDNN_DATA_HALF;
  return type == ElementType::kBf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

void set_tensor(const CudnnTensor& tensor, cudnnTensorFormat_t format, ElementType type,
                const std::vector<int>& dims) {
  PACELINE_CUDNN(cudnnSetTensor4dDescriptor(tensor.get(), format, cudnn_type(type), dims.at(0),
                                            dims.at(1), dims.at(2), dims.at(3)));
}

void register_cudnn(GpuBenchmarkRegistry& registry) {
  register_cudnn_convolution(registry);
  register_cudnn_attention(registry);
  register_cudnn_recurrent(registry);
  register_cudnn_layers(registry);
}

void describe_cudnn(GpuLibraryVersions& versions) {
  const std::size_t version = cudnnGetVersion();  // 91900 is 9.19.0
  versions["cudnn"] = std::to_string(version / 10000) + "." +
                      std::to_string(version % 10000 / 100) + "." + std::to_string(version % 100);
}

}  // namespace paceline
