// Fits the GPU families to public timings of several devices and pools them, so that devices nobody
// measured get parameters too, and says how wrong that is by leaving each device out in turn.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/fit/kernel_fit.h"
#include "calibration/gpu/device_ranking.h"
#include "calibration/gpu/gpu_pool.h"
#include "calibration/gpu/gpu_score.h"
#include "calibration/gpu/interval_width.h"
#include "model/hardware/device_catalog.h"

namespace paceline {

struct FamilyFit {
  std::string family;
  std::map<std::string, FitResult> devices;
  std::map<std::string, Fit> architectures;  // expected of a further device of the architecture
  std::map<std::string, std::vector<Observation>> measured;  // what the fits rest on
  std::vector<GpuFold> folds;
  std::vector<DevicePair> pairs_left_out;  // each pair of devices, predicted from the others
  IntervalWidth width;                     // of a device that was not measured
  std::string note;                        // for people, about how this came about
};

// One device's timings alone, with the family's wide priors.
FitResult fit_observations(const std::string& family,
                           const std::vector<GpuObservation>& observations,
                           const GpuFitOptions& options);

// The same with what is expected of its architecture (a fit of calibration/fitted/gpu) as the
// prior.
FitResult fit_observations(const std::string& family,
                           const std::vector<GpuObservation>& observations, const Fit& expected,
                           const GpuFitOptions& options);

// `achieved` may hold other families, which are left aside.
FamilyFit fit_family(const std::string& family,
                     const std::map<std::string, std::vector<GpuObservation>>& devices,
                     const std::vector<AchievedShare>& achieved, const DeviceCatalog& catalog,
                     const GpuFitOptions& options);

}  // namespace paceline
