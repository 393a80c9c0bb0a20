// Which fitted GPU formula a kernel belongs to: the name under which it is measured, fitted and
// looked up.
//
//   gpu.gemm.vector|matrix|fp8                    by the unit that runs them
//   gpu.convolution.vector|matrix.forward|dgrad|wgrad
//   gpu.rnn.vector|matrix.forward|dgrad|wgrad
//   gpu.attention.forward|backward
//   gpu.stream.elementwise|normalization|normalization_backward|softmax|optimizer
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "model/hardware/device_spec.h"
#include "model/kernel/kernel.h"

namespace paceline {

struct GpuFamily {
  std::string_view name;     // of the fit, with the pass of a convolution
  std::string_view formula;  // "gpu.gemm/4"
  std::string_view summary;
};

std::span<const GpuFamily> gpu_families();

// The family of a kernel on `device`, from its shape. fp8 kernels other than matrix products share
// the fits of other matrix-unit kernels. Throws UsageError if the device has no arithmetic of the
// kernel's precision.
std::string gpu_family(const Kernel& kernel, const DeviceSpec& device);
// Its place in gpu_families().
std::size_t gpu_family_index(const Kernel& kernel, const DeviceSpec& device);

}  // namespace paceline
