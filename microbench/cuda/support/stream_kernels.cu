#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "microbench/cuda/support/random_value.h"
#include "microbench/cuda/support/stream_kernels.h"

namespace paceline {
namespace {

constexpr int kThreads = 256;
constexpr int kReadBlocks = 1024;
constexpr int kArithmeticBlocks = 4096;

// Enough blocks for one float4 a thread, within the grid's limit.
unsigned blocks_for(std::int64_t items) {
  const std::int64_t blocks = (items + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < 1 ? 1 : (blocks > 1 << 30 ? 1 << 30 : blocks));
}

__device__ std::int64_t first_item() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t item_stride() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

__global__ void empty_kernel() {}

template <typename T>
__global__ void fill_kernel(T* data, std::int64_t count, std::uint32_t seed, float scale) {
  for (std::int64_t i = first_item(); i < count; i += item_stride()) {
    data[i] = static_cast<T>(scale * random_value(static_cast<std::uint64_t>(i), seed));
  }
}

__global__ void copy_kernel(const float4* in, float4* out, std::int64_t count) {
  for (std::int64_t i = first_item(); i < count; i += item_stride()) out[i] = in[i];
}

__global__ void add_kernel(const float4* a, const float4* b, float4* out, std::int64_t count) {
  for (std::int64_t i = first_item(); i < count; i += item_stride()) {
    const float4 x = a[i];
    const float4 y = b[i];
    out[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
}

__global__ void write_kernel(float4* out, float value, std::int64_t count) {
  for (std::int64_t i = first_item(); i < count; i += item_stride()) {
    out[i] = make_float4(value, value, value, value);
  }
}

__global__ void read_kernel(const float4* in, float* out, std::int64_t count) {
  float sum = 0;
  for (std::int64_t i = first_item(); i < count; i += item_stride()) {
    const float4 x = in[i];
    sum += (x.x + x.y) + (x.z + x.w);
  }
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < static_cast<unsigned>(half)) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void atomics_kernel(unsigned* counters, std::int64_t targets, std::int64_t count) {
  for (std::int64_t i = first_item(); i < count; i += item_stride()) {
    atomicAdd(&counters[i % targets], 1u);
  }
}

__global__ void sgd_kernel(float* weight, const float* gradient, float* momentum,
                           std::int64_t count) {
  for (std::int64_t i = first_item(); i < count; i += item_stride()) {
    const float m = 0.9f * momentum[i] + gradient[i];
    momentum[i] = m;
    weight[i] -= 1e-3f * m;
  }
}

__global__ void adam_kernel(float* weight, const float* gradient, float* first, float* second,
                            std::int64_t count) {
  for (std::int64_t i = first_item(); i < count; i += item_stride()) {
    const float g = gradient[i];
    const float m = 0.9f * first[i] + 0.1f * g;
    const float v = 0.999f * second[i] + 0.001f * g * g;
    first[i] = m;
    second[i] = v;
    weight[i] -= 1e-3f * m / (sqrtf(v) + 1e-8f);
  }
}

__global__ void arithmetic_kernel(float* out, int steps) {
  const std::int64_t i = first_item();
  float sums[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) sums[j] = 1e-3f * static_cast<float>(threadIdx.x + j);
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int j = 0; j < 8; ++j) sums[j] = fmaf(sums[j], 0.999f, 1e-3f);
  }
  float total = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j) total += sums[j];
  out[i] = total;
}

__global__ void spin_kernel(std::int64_t cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

const float4* as4(const float* data) { return reinterpret_cast<const float4*>(data); }
float4* as4(float* data) { return reinterpret_cast<float4*>(data); }

}  // namespace

void launch_empty(cudaStream_t stream) { empty_kernel<<<1, 32, 0, stream>>>(); }

void launch_fill(void* data, std::int64_t count, ElementType type, std::uint32_t seed, float scale,
                 cudaStream_t stream) {
  const unsigned blocks = blocks_for(count);
  switch (type) {
    case ElementType::kFp32:
      fill_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<float*>(data), count, seed, scale);
      break;
    case ElementType::kFp16:
      fill_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<__half*>(data), count, seed, scale);
      break;
    case ElementType::kBf16:
      fill_kernel<<<blocks, kThreads, 0, stream>>>(static_cast<__nv_bfloat16*>(data), count, seed,
                                                   scale);
      break;
  }
}

void launch_copy(const float* in, float* out, std::int64_t count, cudaStream_t stream) {
  copy_kernel<<<blocks_for(count / 4), kThreads, 0, stream>>>(as4(in), as4(out), count / 4);
}

void launch_add(const float* a, const float* b, float* out, std::int64_t count,
                cudaStream_t stream) {
  add_kernel<<<blocks_for(count / 4), kThreads, 0, stream>>>(as4(a), as4(b), as4(out), count / 4);
}

void launch_write(float* out, float value, std::int64_t count, cudaStream_t stream) {
  write_kernel<<<blocks_for(count / 4), kThreads, 0, stream>>>(as4(out), value, count / 4);
}

void launch_read(const float* in, float* out, std::int64_t count, cudaStream_t stream) {
  read_kernel<<<kReadBlocks, kThreads, 0, stream>>>(as4(in), out, count / 4);
}

void launch_atomics(unsigned* counters, std::int64_t targets, std::int64_t count,
                    cudaStream_t stream) {
  atomics_kernel<<<blocks_for(count), kThreads, 0, stream>>>(counters, targets, count);
}

void launch_sgd(float* weight, const float* gradient, float* momentum, std::int64_t count,
                cudaStream_t stream) {
  sgd_kernel<<<blocks_for(count), kThreads, 0, stream>>>(weight, gradient, momentum, count);
}

void launch_adam(float* weight, const float* gradient, float* first, float* second,
                 std::int64_t count, cudaStream_t stream) {
  adam_kernel<<<blocks_for(count), kThreads, 0, stream>>>(weight, gradient, first, second, count);
}

void launch_arithmetic(float* out, int steps, cudaStream_t stream) {
  arithmetic_kernel<<<kArithmeticBlocks, kThreads, 0, stream>>>(out, steps);
}

void launch_spin(std::int64_t cycles, cudaStream_t stream) {
  spin_kernel<<<1, 1, 0, stream>>>(cycles);
}

}  // namespace paceline
