// The GPU parameters that paceline ships (calibration/fitted/gpu/), and which of them are a
// device's.
#pragma once

#include <vector>

#include "model/hardware/device_spec.h"
#include "model/parameters/parameter_set.h"
#include "model/plan/input_file.h"

namespace paceline {

struct GpuParameterFiles {
  ParameterSet own;                     // empty if the device was not measured
  std::vector<ParameterSet> same_chip;  // of measured devices, likest first
  double same_chip_sd = 0;              // how far apart two boards with one chip are, ln(time)
  // What families of a board that was not measured have in common, of the variance of their error.
  double common_share = 0;
  ParameterSet architecture;
  std::vector<InputFile> inputs;
};

// What was measured on a board is given to the board of the catalog that has its name, and to those
// that name it in `same_chip`: which file a device was read from, and what a device that is not of
// the catalog is called, is of no consequence. Throws InputError if its architecture has no
// parameters.
GpuParameterFiles read_gpu_parameters(const DeviceSpec& device);

}  // namespace paceline
