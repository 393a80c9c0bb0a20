#include "microbench/cuda/support/usable_gpus.h"

#include "microbench/cuda/support/cuda_check.h"

namespace paceline {
namespace {

// The runtime calls a driver that is not there one that is too old.
std::string why_no_gpu(cudaError_t code) {
  if (code == cudaSuccess) return "none found";
  int driver = 0;
  if (code != cudaErrorInsufficientDriver || cudaDriverGetVersion(&driver) != cudaSuccess) {
    return cudaGetErrorString(code);
  }
  if (driver == 0) return "no NVIDIA driver is installed";
  const auto version = [](int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  };
  return "the driver is for CUDA " + version(driver) + ", this build needs one for CUDA " +
         version(CUDART_VERSION);
}

}  // namespace

int usable_gpus() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count > 0) return count;
  cudaGetLastError();
  throw MeasurementError("no NVIDIA GPU can be used: " + why_no_gpu(code));
}

}  // namespace paceline
