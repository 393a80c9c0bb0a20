// The backward pass of fused attention. Public timings of it exist for one library generation only
// (FlashAttention 1 on A100), whose forward pass is half as fast as that of today's. What carries
// over is the difference between its two passes, in the coordinates of the formula's parameters:
// it is added to what is known of today's forward pass, with its own error.
#pragma once

#include <string>
#include <vector>

#include "calibration/gpu/gpu_fit.h"

namespace paceline {

// `forward` is the family of today's forward pass; `older_forward` and `older_backward` are timings
// of both passes of an older library on one device. Throws Error (internal) if either cannot be
// fitted.
FamilyFit derive_attention_gradient(const FamilyFit& forward,
                                    const std::vector<GpuObservation>& older_forward,
                                    const std::vector<GpuObservation>& older_backward,
                                    const GpuFitOptions& options);

}  // namespace paceline
