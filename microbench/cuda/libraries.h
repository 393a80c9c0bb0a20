// What each library contributes to the plug-in; its folder here if it was found when building,
// else without/<library>.cpp, which registers one benchmark that says so.
#pragma once

#include <map>
#include <string>

#include "microbench/gpu/gpu_under_test.h"

namespace paceline {

void register_runtime(GpuBenchmarkRegistry& registry);
void register_cublas(GpuBenchmarkRegistry& registry);
void register_cudnn(GpuBenchmarkRegistry& registry);
void register_nccl(GpuBenchmarkRegistry& registry);

using GpuLibraryVersions = std::map<std::string, std::string>;
void describe_cublas(GpuLibraryVersions& versions);
void describe_cudnn(GpuLibraryVersions& versions);
void describe_nccl(GpuLibraryVersions& versions);

}  // namespace paceline
