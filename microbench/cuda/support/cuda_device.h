// A GPU of NVIDIA as the harness sees it.
#pragma once

#include <memory>

#include "microbench/gpu/gpu_under_test.h"

namespace paceline {

// Throws MeasurementError with the driver's reason if there is no GPU of this index.
std::unique_ptr<GpuUnderTest> open_cuda_device(int index);

}  // namespace paceline
