// What `paceline kernel` was asked for: an operation with its shape, as the kernels one library
// call runs.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "model/kernel/kernel.h"

namespace paceline {

struct KernelRequest {
  std::string op;  // "gemm"
  // In the order they run; a backward pass is several.
  std::vector<Kernel> kernels;
};

std::vector<FlagSpec> kernel_flags();

// Throws UsageError for an unknown operation, a missing or impossible size, or a flag that the
// operation does not have.
KernelRequest read_kernel_request(const Arguments& arguments);

// Gives the kernels the names of the libraries that PyTorch runs on a CPU. Throws UsageError for
// operations that are no single call there.
void name_cpu_kernels(KernelRequest& request);

}  // namespace paceline
