// cuDNN's objects, which free themselves.
#pragma once

#include <cudnn.h>

#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <vector>

#include "microbench/cuda/support/device_buffer.h"

namespace paceline {

// Throws MeasurementError with cuDNN's text.
void check_cudnn(cudnnStatus_t status, const char* call,
                 std::source_location where = std::source_location::current());

#define PACELINE_CUDNN(call) ::paceline::check_cudnn((call), #call)

template <typename T, cudnnStatus_t (*Create)(T*), cudnnStatus_t (*Destroy)(T)>
class CudnnObject {
 public:
  CudnnObject() {
    T object = nullptr;
    check_cudnn(Create(&object), "creating a cuDNN object");
    object_.reset(object);
  }
  T get() const { return object_.get(); }

 private:
  struct Destroyer {
    void operator()(T object) const { Destroy(object); }
  };
  std::unique_ptr<std::remove_pointer_t<T>, Destroyer> object_;
};

using CudnnHandle = CudnnObject<cudnnHandle_t, cudnnCreate, cudnnDestroy>;
using CudnnTensor =
    CudnnObject<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using CudnnFilter =
    CudnnObject<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using CudnnConvolution = CudnnObject<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor,
                                     cudnnDestroyConvolutionDescriptor>;
using CudnnPooling = CudnnObject<cudnnPoolingDescriptor_t, cudnnCreatePoolingDescriptor,
                                 cudnnDestroyPoolingDescriptor>;
using CudnnActivation = CudnnObject<cudnnActivationDescriptor_t, cudnnCreateActivationDescriptor,
                                    cudnnDestroyActivationDescriptor>;
using CudnnDropout = CudnnObject<cudnnDropoutDescriptor_t, cudnnCreateDropoutDescriptor,
                                 cudnnDestroyDropoutDescriptor>;
using CudnnRnn =
    CudnnObject<cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor, cudnnDestroyRNNDescriptor>;
using CudnnRnnData = CudnnObject<cudnnRNNDataDescriptor_t, cudnnCreateRNNDataDescriptor,
                                 cudnnDestroyRNNDataDescriptor>;

cudnnDataType_t cudnn_type(ElementType type);
// Of four dimensions, in this order of memory.
void set_tensor(const CudnnTensor& tensor, cudnnTensorFormat_t format, ElementType type,
                const std::vector<int>& dims);

void register_cudnn_attention(GpuBenchmarkRegistry& registry);
void register_cudnn_convolution(GpuBenchmarkRegistry& registry);
void register_cudnn_layers(GpuBenchmarkRegistry& registry);
void register_cudnn_recurrent(GpuBenchmarkRegistry& registry);

}  // namespace paceline
