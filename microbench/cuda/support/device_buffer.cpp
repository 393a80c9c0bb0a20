#include "microbench/cuda/support/device_buffer.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "microbench/cuda/support/random_value.h"

namespace paceline {

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* data = nullptr;
  const cudaError_t code = cudaMalloc(&data, bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    throw MeasurementError("out of memory: needs " + std::to_string(bytes >> 20) + " MiB more, " +
                           std::to_string(free >> 20) + " MiB are free");
  }
  PACELINE_CUDA(code);
  data_.reset(data);
}

std::size_t element_bytes(ElementType type) { return type == ElementType::kFp32 ? 4 : 2; }

ElementType storage_type(const std::string& precision) {
  if (precision == "fp32" || precision == "tf32") return ElementType::kFp32;
  if (precision == "fp16") return ElementType::kFp16;
  if (precision == "bf16") return ElementType::kBf16;
  throw MeasurementError("no operands of precision " + precision);
}

DeviceBuffer random_tensor(std::int64_t count, ElementType type, std::uint32_t seed, float scale) {
  DeviceBuffer out(static_cast<std::size_t>(count) * element_bytes(type));
  launch_fill(out.data(), count, type, seed, scale, nullptr);
  PACELINE_CUDA(cudaGetLastError());
  PACELINE_CUDA(cudaStreamSynchronize(nullptr));
  return out;
}

std::vector<double> read_elements(const void* data, ElementType type,
                                  const std::vector<std::int64_t>& indices) {
  std::vector<double> out;
  for (const std::int64_t index : indices) {
    const std::size_t bytes = element_bytes(type);
    const auto* from = static_cast<const char*>(data) + static_cast<std::size_t>(index) * bytes;
    float single = 0;
    __half half{};
    __nv_bfloat16 bfloat{};
    void* to = &single;
    if (type == ElementType::kFp16) to = &half;
    if (type == ElementType::kBf16) to = &bfloat;
    PACELINE_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
    if (type == ElementType::kFp16) single = __half2float(half);
    if (type == ElementType::kBf16) single = __bfloat162float(bfloat);
    out.push_back(static_cast<double>(single));
  }
  return out;
}

double random_element(std::int64_t index, ElementType type, std::uint32_t seed, float scale) {
  const float value = scale * random_value(static_cast<std::uint64_t>(index), seed);
  switch (type) {
    case ElementType::kFp16:
      return static_cast<double>(__half2float(__float2half(value)));
    case ElementType::kBf16:
      return static_cast<double>(__bfloat162float(__float2bfloat16(value)));
    case ElementType::kFp32:
      break;
  }
  return static_cast<double>(value);
}

Stream::Stream() {
  cudaStream_t stream = nullptr;
  PACELINE_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  stream_.reset(stream);
}

Event::Event() {
  cudaEvent_t event = nullptr;
  PACELINE_CUDA(cudaEventCreate(&event));
  event_.reset(event);
}

Seconds between(const Event& start, const Event& end) {
  PACELINE_CUDA(cudaEventSynchronize(end.get()));
  float milliseconds = 0;
  PACELINE_CUDA(cudaEventElapsedTime(&milliseconds, start.get(), end.get()));
  return Seconds(1e-3 * static_cast<double>(milliseconds));
}

}  // namespace paceline
