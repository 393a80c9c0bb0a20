// Checking the calls of CUDA and its libraries.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>

#include "microbench/gpu/gpu_under_test.h"

namespace paceline {

// Throws MeasurementError with what was called, where, and the library's text; GpuLost for errors
// that no later call survives.
void check_cuda(cudaError_t code, const char* call, std::source_location where);

[[noreturn]] void library_failed(const std::string& library, const std::string& text,
                                 const char* call, std::source_location where);

}  // namespace paceline

#define PACELINE_CUDA(call) ::paceline::check_cuda((call), #call, std::source_location::current())
