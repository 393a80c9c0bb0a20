// A CPU with fitted parameters, ready to price kernels: what `--device cpu` or a parameter file
// means.
#pragma once

#include <filesystem>
#include <optional>

#include "core/units.h"
#include "model/cost/fitted.h"
#include "model/cost/roofline.h"
#include "model/plan/report.h"

namespace paceline {

class CpuDevice {
 public:
  CpuDevice(ParameterSet parameters, InputFile file);

  const std::string& name() const { return costs_.parameters().device; }
  const FittedCostModel& costs() const { return costs_; }
  const ParameterSet& parameters() const { return costs_.parameters(); }
  const InputFile& file() const { return file_; }
  int cores() const { return costs_.parameters().provenance.host.cores; }
  Bytes memory() const { return costs_.parameters().provenance.host.memory; }

  // Highest rate of arithmetic that any fitted matrix or convolution kernel tends to, of `threads`
  // threads: the peak that utilization refers to, since a virtual CPU has no data sheet. Throws
  // MissingParameter if nothing of the kind was fitted.
  FlopsPerSecond peak(int threads) const;
  // Peak and memory bandwidth as fitted, for the roofline null model.
  RooflineLimits limits(int threads) const;

 private:
  FittedCostModel costs_;
  InputFile file_;
};

// A file, or `cpu` for the parameters that `paceline calibrate --install` put into the user's data
// folder. Throws UsageError for other names, and InputError that names `paceline measure` and
// `paceline calibrate --install` if this machine is not calibrated.
CpuDevice read_cpu_device(const std::string& name_or_file);

// Where the parameters of this machine's CPU are installed.
std::filesystem::path installed_cpu_parameters();

}  // namespace paceline
