// The operations of `paceline kernel`, each with the flags that say its shape and how they are read
// (docs/commands.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "model/kernel/kernel.h"

namespace paceline {

struct KernelOperation {
  std::string implementation;
  // The kernels that one call becomes. Throws UsageError.
  std::vector<KernelShape> (*shapes)(const Arguments&, Precision);
  std::vector<std::string> flags;
};

// By the name of --op.
const std::map<std::string, KernelOperation>& kernel_operations();

// Throws UsageError beyond a petabyte, which no device has.
void check_kernel_bytes(const std::string& op, Bytes bytes);

}  // namespace paceline
