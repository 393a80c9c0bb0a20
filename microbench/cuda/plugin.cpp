// The plug-in's entry: the benchmarks of CUDA and its libraries.
#include "microbench/gpu/gpu_plugin.h"

#include "microbench/cuda/libraries.h"
#include "microbench/cuda/support/cuda_device.h"
#include "microbench/cuda/support/device_buffer.h"

namespace paceline {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void register_cuda_benchmarks(GpuBenchmarkRegistry& registry) {
  register_runtime(registry);
  register_cublas(registry);
  register_cudnn(registry);
  register_nccl(registry);
}

GpuLibraryVersions library_versions() {
  GpuLibraryVersions versions;
  int runtime = 0;
  if (cudaRuntimeGetVersion(&runtime) == cudaSuccess) versions["cuda"] = version_text(runtime);
  describe_cublas(versions);
  describe_cudnn(versions);
  describe_nccl(versions);
  return versions;
}

constexpr GpuPlugin kPlugin = {register_cuda_benchmarks, open_cuda_device, library_versions};

}  // namespace
}  // namespace paceline

extern "C" __attribute__((visibility("default"))) const paceline::GpuPlugin* paceline_gpu_plugin() {
  return &paceline::kPlugin;
}
