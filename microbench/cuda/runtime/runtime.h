// The benchmarks that need nothing but the CUDA runtime.
#pragma once

#include "microbench/gpu/gpu_under_test.h"

namespace paceline {

void register_launch(GpuBenchmarkRegistry& registry);
void register_memory(GpuBenchmarkRegistry& registry);
void register_copies(GpuBenchmarkRegistry& registry);
void register_overlap(GpuBenchmarkRegistry& registry);

}  // namespace paceline
