// A CPU of the catalog that nobody has measured, at prices expected of its data sheet
// (cpu_transfer.h). Every price says that it is extrapolated.
#pragma once

#include "model/cost/fitted.h"
#include "simulator/device/cpu_transfer.h"
#include "simulator/device/training_device.h"

namespace paceline {

class TransferredCpu : public TrainingDevice {
 public:
  // Throws InputError as transferred() does.
  TransferredCpu(DeviceSpec cpu, int sockets, const CpuTransfer& transfer,
                 std::vector<InputFile> inputs);

  const std::string& name() const override { return cpu_.name; }
  DeviceKind kind() const override { return DeviceKind::kCpu; }
  const CostModel& costs() const override { return costs_; }
  HostCosts host_costs(const FrameworkInfo& framework) const override;
  const ParameterSet& parameters() const override { return costs_.fitted.parameters(); }
  std::vector<InputFile> inputs() const override { return inputs_; }
  bool unmeasured() const override { return true; }
  std::string narrowing() const override {
    return "measurements taken on such a CPU (paceline measure, paceline calibrate) would narrow "
           "it";
  }
  // Threads that the sockets run at once, two of some cores on each core.
  int cores() const override;
  // The most that the sockets can have: how much a machine has is its owner's choice.
  Bytes memory() const override;
  FlopsPerSecond peak(Precision precision, int threads) const override;
  RooflineLimits limits(int threads) const override;

 private:
  struct Costs : CostModel {
    Costs(ParameterSet parameters, std::string device_name, int physical);
    KernelCost cost(const Kernel& kernel, const ExecutionContext& context) const override;
    FittedCostModel fitted;
    std::string device;
    int cores;
  };

  DeviceSpec cpu_;
  int sockets_;
  Costs costs_;
  std::vector<InputFile> inputs_;
};

}  // namespace paceline
