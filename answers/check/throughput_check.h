// A measured throughput against the arithmetic peak, against the prediction, and against the ways
// in which such numbers are misread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "answers/check/alternatives.h"
#include "answers/check/finding.h"
#include "answers/check/measured_rate.h"
#include "model/hardware/device_catalog.h"
#include "model/hardware/link_catalog.h"
#include "model/plan/report.h"

namespace paceline {

// What is known about the run. Pointers may be null: what they are needed for is then left out.
struct MeasuredRun {
  MeasuredRate rate;
  std::int64_t devices = 1;
  std::int64_t machines = 1;
  std::int64_t samples_per_iteration = 0;  // of all devices
  std::optional<std::int64_t> tokens_per_sample;
  Flops flops_per_sample;  // as utilizations count them: every convolution direct
  // What cannot be done without (model/cost/least_arithmetic.h).
  Flops least_flops_per_sample;
  Bytes gradient;
  Precision precision = Precision::kFp32;
  // Of one device at this precision; of a CPU the highest rate that its kernels were measured at.
  std::optional<FlopsPerSecond> peak;
  bool peak_is_measured = false;
  const DeviceSpec* device = nullptr;  // a GPU with a data sheet
  const DeviceCatalog* devices_known = nullptr;
  const LinkSpec* network = nullptr;
  const LinkCatalog* links_known = nullptr;
  const Report* predicted = nullptr;
  // The measured rate of one device, as typed.
  std::optional<MeasuredRate> single_device;
  // The peak that a utilization was computed with.
  std::optional<FlopsPerSecond> assumed_peak;
  // Other settings under which the rate would be believable; asked only if it is not.
  std::function<std::vector<Alternative>(double samples_per_s)> alternatives;
};

// Implausible: outside the 90 % interval by more than the interval's own width again on that side,
// and by more than a quarter. Impossible: more arithmetic than the peak, though every algorithm is
// the one that needs least; a measured peak must be exceeded by a quarter, since kernels reach less
// than the cores can do.
std::vector<Finding> check_throughput(const MeasuredRun& run);

}  // namespace paceline
