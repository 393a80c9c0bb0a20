// The measured devices of one family, each fitted alone, and what a device is expected to be from
// the others (pooling.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/fit/kernel_fit.h"
#include "calibration/gpu/gpu_observations.h"
#include "calibration/gpu/gpu_priors.h"
#include "calibration/gpu/pooling.h"
#include "model/hardware/device_catalog.h"

namespace paceline {

struct GpuFitOptions {
  std::size_t most_shapes = 320;  // of one device and family; a quarter of them is held out
  int starts = 2;
};

struct GpuPool {
  std::string family;
  std::vector<FitParameter> priors;  // of timings of the device
  std::map<std::string, std::vector<Observation>> observations;
  std::map<std::string, Timing> timing;
  std::vector<DeviceEstimate> estimates;  // of boards with enough power, at the reference clock
  std::map<std::string, double> power;    // ln of the share of its peak that a board sustains
  std::map<std::string, double> launch;   // ln of its launch / that at the reference clock

  std::vector<DeviceEstimate> without(const std::string& device) const;
  std::vector<DeviceEstimate> without_architecture(const std::string& architecture) const;
  // What is expected of `device` from others, with the dispatch that its timings contain.
  Fit expected_of(const std::string& device, const std::string& architecture,
                  const std::vector<DeviceEstimate>& from) const;
  // Priors of a device's fit from the pool; its launch keeps the belief about its kind of timing.
  std::vector<FitParameter> priors_for(const std::string& device, const std::string& architecture,
                                       const std::vector<DeviceEstimate>& from) const;

 private:
  Expectation expectation_of(const std::string& device, const std::string& architecture,
                             const std::vector<DeviceEstimate>& from) const;
};

// `achieved` may hold other families, which are left aside.
GpuPool make_pool(const std::string& family,
                  const std::map<std::string, std::vector<GpuObservation>>& devices,
                  const std::vector<AchievedShare>& achieved, const DeviceCatalog& catalog,
                  const GpuFitOptions& options);

// What is expected of a further device of `architecture`, with enough power and at the reference
// clock (model/hardware/launch_latency.h).
Fit expected_fit(const GpuPool& pool, const std::string& architecture);

// The same of a device whose launch takes `scale` of that.
void scale_launch(Fit& fit, double scale);

// To be compared with timings of calls, a prediction needs the dispatch that they contain.
void add_dispatch(Fit& fit);

// One device's timings of a family and the beliefs they are fitted with.
KernelProblem gpu_problem(const std::string& family, std::vector<FitParameter> priors,
                          std::vector<Observation> observations);
KernelFitOptions gpu_fit_options(int starts);

}  // namespace paceline
