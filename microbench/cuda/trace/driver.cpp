#include "microbench/cuda/trace/driver.h"

#include <cuda.h>
#include <dlfcn.h>

namespace paceline::cuda_trace {
namespace {

// Null if the program has no driver.
template <typename Function>
Function* find(const char* name) {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(driver, name));
}

}  // namespace

std::vector<std::string> device_names() {
  auto* const count_devices = find<CUresult(int*)>("cuDeviceGetCount");
  auto* const get_name = find<CUresult(char*, int, CUdevice)>("cuDeviceGetName");
  int count = 0;
  if (count_devices == nullptr || get_name == nullptr || count_devices(&count) != CUDA_SUCCESS) {
    return {};
  }
  std::vector<std::string> out;
  for (CUdevice device = 0; device < count; ++device) {  // handles are the indices
    char name[256] = {};
    if (get_name(name, sizeof name, device) != CUDA_SUCCESS) break;
    out.emplace_back(name);
  }
  return out;
}

std::uint64_t core_clock_hz(std::uint32_t device) {
  auto* const attribute =
      find<CUresult(int*, CUdevice_attribute, CUdevice)>("cuDeviceGetAttribute");
  int khz = 0;
  if (attribute == nullptr || attribute(&khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
                                        static_cast<CUdevice>(device)) != CUDA_SUCCESS) {
    return 0;
  }
  return khz > 0 ? static_cast<std::uint64_t>(khz) * 1000 : 0;
}

}  // namespace paceline::cuda_trace
