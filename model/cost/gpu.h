// Kernel costs on a GPU: from the fits of the device itself where it was measured, else from those
// of a device with the same chip, else from what is expected of its architecture.
//
// Two laws hold for every price. None is below what the data sheet allows (gpu_limits.h). And
// narrower arithmetic is never slower: a library that may use tf32, bf16 or fp8 takes the kernel of
// wider arithmetic where that one is faster, so the price is the least of both. Convolutions that
// were timed on the chip in that arithmetic keep their own price.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
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
  // "measured": fitted to timings of this device; "same chip": of another with its chip; "pooled":
  // expected from others.
  std::string origin;
  FitQuality quality;
};

// How a library would run a kernel.
struct KernelChoice {
  std::string algorithm;  // "winograd-staged", "tile 128x64, K in 4 slices", "flash"
  Bytes workspace;
  Flops arithmetic{};  // what the algorithm executes; 0: what is counted
};

// The shipped parameters for a device (calibration/fitted/gpu/).
struct GpuParameterFiles {
  ParameterSet own;                     // empty if the device was not measured
  std::vector<ParameterSet> same_chip;  // of measured devices, likest first
  double same_chip_sd = 0;              // how far apart two boards with one chip are, ln(time)
  // What families of a board that was not measured have in common, of the variance of their error.
  double common_share = 0;
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
  // Throws InputError if a fit names an unknown formula.
  GpuCostModel(DeviceSpec device, GpuParameterFiles parameters);
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
  // How a kernel runs: at its own precision or at a wider one, on which units, and what that costs.
  struct Path {
    Kernel kernel;
    const DeviceSpec* device;
    KernelCost cost;
  };
  Path fastest_path(const Kernel& kernel, const ExecutionContext& context) const;
  KernelCost cost_as_it_is(const Kernel& kernel, const DeviceSpec& device,
                           const ExecutionContext& context) const;

  // Where a family's parameters come from.
  struct Source {
    const FittedCostModel* model;
    std::string_view origin;  // of GpuFamilyOrigin
  };
  Source source_of(const std::string& family) const;

  DeviceSpec device_;
  // Where fp32 products run on matrix units: the device without them, whose kernels know forms of
  // convolution that matrix units do not.
  std::optional<DeviceSpec> on_vector_units_;
  FittedCostModel own_;
  std::vector<FittedCostModel> same_chip_;
  double same_chip_sd_;
  double common_share_;
  FittedCostModel architecture_;
  std::map<std::string, FamilyRefinement> refinements_;
};

}  // namespace paceline
