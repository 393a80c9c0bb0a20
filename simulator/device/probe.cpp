#include "simulator/device/probe.h"

#include <cmath>

#include "core/error.h"
#include "model/hardware/device_catalog.h"
#include "simulator/device/kernel_of.h"

namespace paceline {
namespace {

// A call shorter than this is mostly the host's dispatch.
constexpr Seconds kShortestCall = Seconds(200e-6);

struct Sums {
  double prior_variance = 0;
  double precision = 0;
  double weighted = 0;
  int timings = 0;
};

bool is_usable(const Measurement& timing) {
  if (timing.skipped) return false;
  const bool call = timing.axes.contains("timing") && timing.text("timing") == "call";
  return !call || timing.value() >= kShortestCall;
}

void check_device(const Measurement& timing, const DeviceSpec& device) {
  const std::string name = timing.text("device");
  if (device_key(name) == device_key(device.name)) return;
  throw InputError("measurement of " + timing.benchmark + ": axis device is \"" + name +
                   "\"; the probe is of " + device.name);
}

}  // namespace

std::map<std::string, FamilyRefinement> refinements(const MeasurementSet& timings,
                                                    const GpuCostModel& costs) {
  std::map<std::string, Sums> families;
  for (const Measurement& timing : timings.results) {
    const std::optional<Kernel> kernel = kernel_of(timing);
    if (!kernel || !is_usable(timing)) continue;
    check_device(timing, costs.device());
    const KernelCost cost = costs.cost(*kernel, {});
    Sums& sums = families[cost.family];
    const double own = cost.own_sd * cost.own_sd;
    sums.prior_variance = std::max(sums.prior_variance, cost.shared_sd * cost.shared_sd);
    sums.precision += 1 / own;
    sums.weighted += std::log(timing.value() / cost.time) / own;
    ++sums.timings;
  }
  if (families.empty()) {
    throw InputError("the probe holds no timing of a kernel of " + costs.device().name);
  }
  std::map<std::string, FamilyRefinement> out;
  for (const auto& [family, sums] : families) {
    const double variance = 1 / (1 / sums.prior_variance + sums.precision);
    out[family] = {.log_shift = variance * sums.weighted,
                   .shared_sd = std::sqrt(variance),
                   .timings = sums.timings};
  }
  return out;
}

}  // namespace paceline
