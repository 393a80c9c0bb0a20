// A CPU that does not exist, for tests: every kernel of the PyTorch model at round prices.
#pragma once

#include "simulator/device/cpu_device.h"

namespace paceline {

ParameterSet made_up_parameters();
CpuDevice made_up_device();

}  // namespace paceline
