#include "microbench/cuda/support/cuda_check.h"

#include <filesystem>

namespace paceline {
namespace {

std::string place(const char* call, std::source_location where) {
  return std::string(call) + " at " + std::filesystem::path(where.file_name()).filename().string() +
         ":" + std::to_string(where.line());
}

// Errors after which the context is unusable.
bool is_final(cudaError_t code) {
  switch (code) {
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceUninitialized:
    case cudaErrorAssert:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

}  // namespace

void check_cuda(cudaError_t code, const char* call, std::source_location where) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // not to be found by the next call
  const std::string text = std::string(cudaGetErrorString(code)) + " (" + place(call, where) + ")";
  if (is_final(code)) throw GpuLost("device lost: " + text);
  if (code == cudaErrorMemoryAllocation) throw MeasurementError("out of memory: " + text);
  throw MeasurementError(text);
}

void library_failed(const std::string& library, const std::string& text, const char* call,
                    std::source_location where) {
  cudaGetLastError();  // not to be found by the next call
  const std::string what = library + ": " + text + " (" + place(call, where) + ")";
  // Libraries name what is left of a lost device an internal or execution error.
  // A question that does not wait, and that such a device answers with its error.
  const cudaError_t code = cudaStreamQuery(nullptr);
  cudaGetLastError();
  if (is_final(code)) {
    throw GpuLost("device lost: " + std::string(cudaGetErrorString(code)) + "; " + what);
  }
  throw MeasurementError(what);
}

}  // namespace paceline
