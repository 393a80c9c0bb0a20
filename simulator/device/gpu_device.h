// A GPU of the catalog or of a device file, with the kernel parameters that paceline ships.
#pragma once

#include <map>
#include <string>

#include "model/cost/gpu.h"
#include "simulator/device/training_device.h"

namespace paceline {

class GpuDevice : public TrainingDevice {
 public:
  GpuDevice(GpuCostModel costs, std::vector<InputFile> inputs);

  const std::string& name() const override { return costs_.device().name; }
  DeviceKind kind() const override { return DeviceKind::kGpu; }
  const DeviceSpec* spec() const override { return &costs_.device(); }
  const GpuCostModel& costs() const override { return costs_; }
  KernelChoice choice(const Kernel& kernel, const ExecutionContext& context) const override {
    return costs_.choice(kernel, context);
  }
  // The framework's own estimate: which processor drives the GPU is not known. Throws UsageError if
  // the framework drives no GPU.
  HostCosts host_costs(const FrameworkInfo& framework) const override;
  const ParameterSet& parameters() const override { return costs_.own_parameters(); }
  std::vector<InputFile> inputs() const override { return inputs_; }
  std::string narrowing() const override { return "a few timings of this device would narrow it"; }
  Bytes memory() const override;
  FlopsPerSecond peak(Precision precision, int threads) const override;
  RooflineLimits limits(int threads) const override;

 private:
  GpuCostModel costs_;
  std::vector<InputFile> inputs_;
};

// The facts of a board whose clock or power limit differs from the data sheet's (training_device.h
// names the options). Peaks follow the clock, bandwidth does not; under a lower power limit the
// clock is what the board has the power for when it is kept busy (model/formula/power_limit.h).
// Throws UsageError for values that the board cannot have: above its data sheet, or below what it
// draws at its lowest clock.
DeviceSpec with_device_options(DeviceSpec spec, const std::map<std::string, std::string>& options);

}  // namespace paceline
