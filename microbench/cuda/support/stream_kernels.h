// Our own kernels, which measure the memory system; everything else that is measured is a call of
// a library. Plain C++ may call them: the launches are in stream_kernels.cu.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace paceline {

enum class ElementType { kFp32, kFp16, kBf16 };

void launch_empty(cudaStream_t stream);
// data[i] = random_value(i, seed), rounded to the type, times `scale`.
void launch_fill(void* data, std::int64_t count, ElementType type, std::uint32_t seed, float scale,
                 cudaStream_t stream);

// Over float4 where counts are multiples of 4, which they must be.
void launch_copy(const float* in, float* out, std::int64_t count, cudaStream_t stream);
void launch_add(const float* a, const float* b, float* out, std::int64_t count,
                cudaStream_t stream);
void launch_write(float* out, float value, std::int64_t count, cudaStream_t stream);
// Adds up everything; one partial sum a block goes to `out` (1024 values).
void launch_read(const float* in, float* out, std::int64_t count, cudaStream_t stream);
// counters[i mod targets] += 1 for i < count.
void launch_atomics(unsigned* counters, std::int64_t targets, std::int64_t count,
                    cudaStream_t stream);
// Momentum SGD (momentum 0.9, rate 1e-3) and Adam (Kingma and Ba 2015, betas 0.9, 0.999) in one
// pass.
void launch_sgd(float* weight, const float* gradient, float* momentum, std::int64_t count,
                cudaStream_t stream);
void launch_adam(float* weight, const float* gradient, float* first, float* second,
                 std::int64_t count, cudaStream_t stream);
// `steps` times eight fused multiply-adds in each of a million threads, on all multiprocessors;
// `out` holds 2^20 values.
void launch_arithmetic(float* out, int steps, cudaStream_t stream);
// Computes for about so many clock cycles without touching memory.
void launch_spin(std::int64_t cycles, cudaStream_t stream);

}  // namespace paceline
