// What a requested kernel costs on a device: the sum of the library calls that it is.
#pragma once

#include <string>
#include <vector>

#include "cli/kernel_request.h"
#include "simulator/device/training_device.h"

namespace paceline {

struct KernelAnswer {
  Seconds median, p05, p95;
  Flops flops;       // as counted
  Flops arithmetic;  // as executed
  Bytes bytes;
  KernelChoice choice;
  Bound bound = Bound::kLatency;  // of the longest kernel
  Origin origin;                  // likewise
};

// Throws what the device's cost model throws.
KernelAnswer answer_kernel(const KernelRequest& request, const TrainingDevice& device,
                           const ExecutionContext& context);

// That its operands and workspace exceed the memory of the device, and that the price is of wider
// arithmetic than was asked for, if so.
std::vector<std::string> kernel_warnings(const KernelRequest& request, const KernelAnswer& answer,
                                         const TrainingDevice& device);

// "gemm NN 64x64x64"; those of several calls are joined by " + ".
std::string shape_text(const KernelRequest& request);

}  // namespace paceline
