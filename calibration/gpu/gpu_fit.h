// Fits the GPU families to public timings of several devices and pools them, so that devices nobody
// measured get parameters too, and says how wrong that is by leaving each device out in turn.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/fit/kernel_fit.h"
#include "calibration/gpu/gpu_observations.h"
#include "calibration/gpu/gpu_priors.h"
#include "calibration/gpu/gpu_score.h"
#include "calibration/gpu/interval_width.h"
#include "calibration/gpu/pooling.h"
#include "core/statistics.h"
#include "model/hardware/device_catalog.h"

namespace paceline {

struct GpuFitOptions {
  std::size_t most_shapes = 320;  // of one device and family; a quarter of them is held out
  int starts = 2;
};

// Errors of a family on one device, in three states of knowledge.
struct TransferErrors {
  std::string device;
  bool architecture_seen = false;  // another device of the architecture was in the pool
  ErrorSummary held_out;           // its own fit, on shapes it did not see
  ErrorSummary transferred;        // no measurement of this device at all
  ErrorSummary without_kin;        // none of any device of its architecture
  ErrorSummary roofline;           // data sheet only
  // Shares inside 90 % intervals whose width comes from other folds: from the other groups of
  // shapes, and from the other devices (from this one where `alone`).
  double held_out_coverage90 = 0;
  double transferred_coverage90 = 0;
  bool alone = false;
};

struct FamilyFit {
  std::string family;
  std::map<std::string, FitResult> devices;
  std::map<std::string, Fit> architectures;  // expected of a further device of the architecture
  std::vector<TransferErrors> errors;
  std::string note;  // for people, about how this came about
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
