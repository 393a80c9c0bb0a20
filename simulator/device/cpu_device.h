// A CPU with fitted parameters, ready to price kernels: what `--device cpu` or a parameter file
// means.
#pragma once

#include <filesystem>

#include "model/cost/fitted.h"
#include "simulator/device/training_device.h"

namespace paceline {

class CpuDevice : public TrainingDevice {
 public:
  CpuDevice(ParameterSet parameters, InputFile file);

  const std::string& name() const override { return costs_.parameters().device; }
  DeviceKind kind() const override { return DeviceKind::kCpu; }
  const FittedCostModel& costs() const override { return costs_; }
  HostCosts host_costs(const FrameworkInfo& framework) const override {
    return read_host_costs(parameters(), framework);
  }
  const ParameterSet& parameters() const override { return costs_.parameters(); }
  std::vector<InputFile> inputs() const override { return {file_}; }
  std::string narrowing() const override { return "measure again with more rounds"; }
  int cores() const override { return costs_.parameters().provenance.host.cores; }
  Bytes memory() const override { return costs_.parameters().provenance.host.memory; }

  // Highest rate of arithmetic that any fitted matrix or convolution kernel tends to, of `threads`
  // threads: the peak that utilization refers to, since a virtual CPU has no data sheet. Throws
  // MissingParameter if nothing of the kind was fitted, UsageError for another precision than fp32.
  FlopsPerSecond peak(Precision precision, int threads) const override;
  // Peak and memory bandwidth as fitted.
  RooflineLimits limits(int threads) const override;

 private:
  FittedCostModel costs_;
  InputFile file_;
};

// A file, or `cpu` for the parameters that `paceline calibrate --install` put into the user's data
// folder. Throws InputError that names `paceline measure` and `paceline calibrate --install` if
// this machine is not calibrated.
CpuDevice read_cpu_device(const std::string& name_or_file);

// Where the parameters of this machine's CPU are installed.
std::filesystem::path installed_cpu_parameters();

}  // namespace paceline
