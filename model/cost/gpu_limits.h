// What no run of a kernel on a GPU can take less than, whatever the library does:
//
//   max( least arithmetic / data-sheet peak,  (bytes it must touch - caches) / data-sheet bandwidth
//   )
//
// with the arithmetic of the algorithm that needs least (least_arithmetic.h): Winograd's form and
// the FFT of a convolution do less than is counted. At most the contents of the caches need not
// come from memory. A filter of one tap and stride two touches a quarter of its input.
//
// Held against half a million published timings (calibration/public) by a test: one, of a board
// that runs above its data-sheet clock, is below, by 3 %.
#pragma once

#include "core/units.h"
#include "model/hardware/device_spec.h"
#include "model/kernel/kernel.h"

namespace paceline {

// Throws UsageError if the device has no arithmetic of the kernel's precision.
Seconds least_time(const Kernel& kernel, const DeviceSpec& device);

}  // namespace paceline
