// Kernel costs on a GPU: from the fits of the device itself where it was measured, else from those
// of a device with the same chip, else from what is expected of its architecture. Which one it is
// for each family is found once; a price then takes a microsecond (cost_benchmark.cpp).
//
// Two laws hold for every price. None is below what the data sheet allows (gpu_limits.h). And
// narrower arithmetic is never slower: a library that may use tf32, bf16 or fp8 takes the kernel of
// wider arithmetic where that one is faster, so the price is the least of both. Convolutions that
// were timed on the chip in that arithmetic keep their own price.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cost/cost_model.h"
#include "model/cost/fitted.h"
#include "model/cost/gpu_parameter_files.h"
#include "model/hardware/device_spec.h"

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
  // The arithmetic of the kernel, where it is wider than asked for and expected to be faster.
  std::optional<Precision> wider{};
};

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
  void refine(std::map<std::string, FamilyRefinement> refinements);

 private:
  // Where a family's prices come from, found once.
  struct Family {
    const PreparedFit* fit = nullptr;  // null if nobody knows
    std::string_view origin;           // of GpuFamilyOrigin
    std::optional<FamilyRefinement> refinement;
    std::string source;  // of Origin, but for what depends on the kernel
  };
  // How a kernel runs: at its own precision or at a wider one, on which units, and what that costs.
  struct Path {
    Precision precision;
    const DeviceSpec* device;
    std::size_t family;
    PreparedFit::Price price;
    Seconds least;
    double common_share;  // of KernelCost
  };
  // A time that is not below `limit` may be infinite.
  Path path(const Kernel& kernel, const DeviceSpec& device, const ExecutionContext& context,
            Seconds limit) const;
  Path fastest_path(const Kernel& kernel, const ExecutionContext& context) const;
  const Family& family_at(std::size_t index) const;  // throws MissingParameter if nobody knows it
  Origin origin_of(const Path& path, Precision asked) const;
  KernelChoice algorithm_of(const Path& path, const Kernel& kernel,
                            const ExecutionContext& here) const;
  Family find_family(std::string_view name) const;
  std::string source_of(std::string_view name, const Family& family) const;
  void find_families();

  DeviceSpec device_;
  // Where fp32 products run on matrix units: the device without them, whose kernels know forms of
  // convolution that matrix units do not.
  std::optional<DeviceSpec> on_vector_units_;
  FittedCostModel own_;
  std::vector<FittedCostModel> same_chip_;
  double same_chip_sd_;
  double common_share_;
  FittedCostModel architecture_;
  std::vector<Family> families_;  // in the order of gpu_families(); point into the models
  std::map<std::string, FamilyRefinement> refinements_;
};

}  // namespace paceline
