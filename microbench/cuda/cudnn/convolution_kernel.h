// One convolution of cuDNN: a layer, one of its three passes, a precision, a layout and an
// algorithm.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "microbench/gpu/convolution_reference.h"
#include "microbench/gpu/gpu_under_test.h"

namespace paceline {

// What differs between the three passes.
struct ConvPass {
  const char* name;                     // "forward", "dgrad", "wgrad"
  std::vector<const char*> algorithms;  // by cuDNN's number
};
const std::array<ConvPass, 3>& conv_passes();

// `algorithm`: one of its pass, "heuristic" (cuDNN's choice) or "search" (the fastest by cuDNN's
// own timing, as frameworks' benchmark mode does). Facts: the algorithm and its workspace. Throws
// MeasurementError for what cuDNN does not offer.
std::unique_ptr<GpuKernel> make_conv_kernel(const ConvLayer& layer, const std::string& pass,
                                            const std::string& precision, bool channels_last,
                                            const std::string& algorithm);

}  // namespace paceline
