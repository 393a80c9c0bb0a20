// The points of `paceline kernel`: comma lists and ranges of shapes, precisions and devices sweep,
// as those of experiments do.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace paceline {

// What the kernel runs on.
std::vector<FlagSpec> kernel_device_flags();

struct KernelSweep {
  std::vector<Arguments> points;    // one value of every flag; the flag named first varies slowest
  std::vector<std::string> varied;  // flags with several values, in the order of their list
};

// Throws UsageError for an empty element or range, or more than 100000 points.
KernelSweep read_kernel_sweep(const Arguments& arguments);

}  // namespace paceline
