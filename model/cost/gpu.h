// Kernel costs on a GPU: from the fits of the device itself where it was measured, else from those
// expected of its architecture.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/cost/cost_model.h"
#include "model/cost/fitted.h"
#include "model/hardware/device_spec.h"
#include "model/plan/input_file.h"

namespace paceline {

// What is known of one family on a device.
struct GpuFamilyOrigin {
  std::string family;   // "gpu.gemm.matrix"
  std::string summary;  // what kernels these are
  std::string
      origin;  // "measured": fitted to timings of this device; "pooled": expected from others
  FitQuality quality;
};

// How a library would run a kernel.
struct KernelChoice {
  std::string algorithm;  // "winograd-staged", "tile 128x64, K in 4 slices", "flash"
  Bytes workspace;
};

// The shipped parameters for a device (calibration/fitted/gpu/).
struct GpuParameterFiles {
  ParameterSet own;  // empty if the device was not measured
  ParameterSet architecture;
  std::vector<InputFile> inputs;
};
// Throws InputError if its architecture has none, naming those that have.
GpuParameterFiles read_gpu_parameters(const DeviceSpec& device);

// What timings of one board say about a family beyond its parameters: the factor exp(log_shift) on
// its times, and what is left of their common error.
struct FamilyRefinement {
  double log_shift = 0;
  double shared_sd = 0;
  int timings = 0;
};

class GpuCostModel : public CostModel {
 public:
  // `own` may be empty. Throws InputError if a fit names an unknown formula.
  GpuCostModel(DeviceSpec device, ParameterSet own, ParameterSet architecture);
  // With the parameters that paceline ships (calibration/fitted/gpu/).
  static GpuCostModel for_device(const DeviceSpec& device);

  // Any implementation text is accepted: the family follows from it and the shape (gpu_family.h).
  // The device in `context` is ignored. Throws UsageError if the device has no arithmetic of the
  // kernel's precision.
  KernelCost cost(const Kernel& kernel, const ExecutionContext& context) const override;

  KernelChoice choice(const Kernel& kernel, const ExecutionContext& context) const;

  const DeviceSpec& device() const { return device_; }
  const ParameterSet& own_parameters() const { return own_.parameters(); }
  std::vector<GpuFamilyOrigin> origins() const;

  // From now on these families are priced with what timings of the board say.
  void refine(std::map<std::string, FamilyRefinement> refinements) {
    refinements_ = std::move(refinements);
  }

 private:
  const FittedCostModel& model_of(const std::string& family) const;

  DeviceSpec device_;
  FittedCostModel own_;
  FittedCostModel architecture_;
  std::map<std::string, FamilyRefinement> refinements_;
};

}  // namespace paceline
