// A measured throughput against the arithmetic peak, against the prediction, and against the ways
// in which such numbers are misread.
#pragma once

#include <cstdint>
#include <optional>

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
  Flops flops_per_sample;
  Bytes gradient;
  Precision precision = Precision::kFp32;
  const DeviceSpec* device = nullptr;
  const DeviceCatalog* devices_known = nullptr;
  const LinkSpec* network = nullptr;
  const LinkCatalog* links_known = nullptr;
  const Report* predicted = nullptr;
  // The measured rate of one device, as typed.
  std::optional<MeasuredRate> single_device;
  // The peak that a utilization was computed with.
  std::optional<FlopsPerSecond> assumed_peak;
};

// Implausible: outside the 90 % interval by more than the interval's own width again on that side,
// and by more than a quarter. Impossible: more arithmetic than the peak.
std::vector<Finding> check_throughput(const MeasuredRun& run);

}  // namespace paceline
