// How long the launch of one kernel takes on a board, beside others: what happens between the end
// of a kernel and the first instruction of the next is a chain of steps of the device, each some
// clocks long. Kernels of no size, in public timings, take 1.6 us on an L40 of 2.5 GHz, 2.1 on an
// A40 and an MI210 of 1.7, 2.7 on an A100 of 1.4: 3500 to 4000 clocks, on an H200 4900. So those of
// an architecture hold the launch at a reference clock, and a board's is scaled by its own.
#pragma once

#include <string_view>

#include "model/hardware/device_spec.h"

namespace paceline {

// Launch on this board / launch at the reference clock, 1.5 GHz. 1 for recurrent layers, whose
// launch is that of several kernels by the host.
double launch_scale(const DeviceSpec& board, std::string_view family);

}  // namespace paceline
