// What a training job runs on: a device with a price for every kernel, the cost of dispatching to
// it, and its limits. `--device` becomes one of these:
//
//   cpu                  this machine, with the parameters that `calibrate --install` left
//   parameters.json      a CPU, with the parameters of that file
//   h100-sxm             a GPU of the catalog, with the parameters that paceline ships
//   e5-2630-v3           a CPU of the catalog, at prices expected of its data sheet
//   my-gpu.json          a GPU from a device file (docs/devices.md), parameters of its architecture
//   measured.json        a GPU of the catalog with the parameters of that file before the shipped
//   ones
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/units.h"
#include "model/cost/cost_model.h"
#include "model/cost/gpu.h"
#include "model/cost/roofline.h"
#include "model/hardware/device_spec.h"
#include "model/parameters/parameter_set.h"
#include "model/plan/iteration_plan.h"
#include "model/plan/report.h"
#include "simulator/frameworks/framework.h"
#include "simulator/lower/host_costs.h"

namespace paceline {

class TrainingDevice {
 public:
  virtual ~TrainingDevice() = default;

  virtual const std::string& name() const = 0;
  virtual DeviceKind kind() const = 0;
  // Data-sheet facts at the clock in use; null for a CPU without a data sheet.
  virtual const DeviceSpec* spec() const { return nullptr; }
  virtual Dispatch dispatch() const {
    return kind() == DeviceKind::kGpu ? Dispatch::kAsynchronous : Dispatch::kSerial;
  }

  virtual const CostModel& costs() const = 0;
  // How the library runs a kernel.
  virtual KernelChoice choice(const Kernel& kernel, const ExecutionContext&) const {
    return {kernel.implementation, Bytes(0)};
  }
  // What the issuing thread of a framework costs. Throws MissingParameter if nobody knows.
  virtual HostCosts host_costs(const FrameworkInfo& framework) const = 0;
  // Parameters fitted to this very device, to see which kernels they have seen; may be empty.
  virtual const ParameterSet& parameters() const = 0;

  // Whether nobody measured it: times are expected of another device and both data sheets, the peak
  // is that of its own, and its memory the most that it can have.
  virtual bool unmeasured() const { return false; }
  // How the interval of its kernels would become narrower, in words.
  virtual std::string narrowing() const = 0;

  virtual int cores() const { return 0; }  // of a CPU
  virtual Bytes memory() const = 0;
  // The rate that utilization refers to. Throws UsageError if the device lacks the precision.
  virtual FlopsPerSecond peak(Precision precision, int threads) const = 0;
  // For the roofline null model.
  virtual RooflineLimits limits(int threads) const = 0;
  // Files that its parameters come from.
  virtual std::vector<InputFile> inputs() const = 0;
};

// Keys of --set that belong to the device, taken out of `options` by read_training_device:
//   clock=562MHz   what the multiprocessors run at; data-sheet boost clock if absent
//   power=250W     board limit below the data sheet's
//   sockets=2      of a CPU of the catalog, at most what its record says; 1 if absent
//   probe=FILE     timings of the board that refine its parameters (probe.h); the flag --probe
std::unique_ptr<const TrainingDevice> read_training_device(
    const std::string& name_or_file, const std::map<std::string, std::string>& options);

// Throws UsageError for more threads than a CPU has, where that is known.
void check_threads(const TrainingDevice& device, int threads);

// Whether a --set key belongs to the device.
bool is_device_option(std::string_view key);

}  // namespace paceline
