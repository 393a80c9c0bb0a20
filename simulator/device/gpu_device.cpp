#include "simulator/device/gpu_device.h"

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/units_text.h"
#include "model/hardware/power_law.h"

namespace paceline {
namespace {

constexpr double kFastestOverclock = 1.5;  // of the data sheet's boost clock

void scale_clock(DeviceSpec& spec, double factor, const std::string& source) {
  spec.boost_clock = {factor * spec.boost_clock.value, source};
  if (spec.matrix_clock) spec.matrix_clock = Fact<Hertz>{factor * spec.matrix_clock->value, source};
  spec.vector_peak = {factor * spec.vector_peak.value, source};
  for (auto& [precision, peak] : spec.matrix_peak) peak = {factor * peak.value, source};
}

double parse_watts(const std::string& text) {
  double watts = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), watts);
  std::string unit(rest, text.data() + text.size());
  std::erase(unit, ' ');
  if (error != std::errc() || unit != "W" || !(watts > 0)) {
    throw UsageError("--set power=" + text + ": expected a power like 250W");
  }
  return watts;
}

DeviceSpec under_power_limit(DeviceSpec spec, const std::string& text) {
  const formula::PowerLaw law = shipped_power_law();
  const double watts = parse_watts(text);
  const double most = spec.power.value.value;
  const double least = std::ceil(most * formula::power_at_clock(law.lowest_clock, law));
  if (watts < least || watts > most) {
    throw UsageError("--set power=" + text + ": " + spec.name + " can be limited from " +
                     significant(least) + " W, what it draws at its lowest clock, to " +
                     significant(most) + " W, its own limit");
  }
  scale_clock(spec, formula::clock_at_power(watts / most, law), "under a limit of " + text);
  spec.power = {Watts{watts}, "--set power"};
  return spec;
}

}  // namespace

DeviceSpec with_device_options(DeviceSpec spec, const std::map<std::string, std::string>& options) {
  const auto power = options.find("power");
  if (power != options.end()) spec = under_power_limit(std::move(spec), power->second);
  const auto clock = options.find("clock");
  if (clock != options.end()) {
    const Hertz wanted = parse_hertz(clock->second);
    const double factor = wanted / spec.boost_clock.value;
    if (!(factor > 0) || factor > kFastestOverclock) {
      throw UsageError("a clock of " + clock->second + ": expected more than 0 Hz and at most " +
                       to_text(kFastestOverclock * spec.boost_clock.value) +
                       "; the boost clock of " + spec.name + " is " +
                       to_text(spec.boost_clock.value));
    }
    scale_clock(spec, factor, "at a clock of " + clock->second);
  }
  return spec;
}

GpuDevice::GpuDevice(GpuCostModel costs, std::vector<InputFile> inputs)
    : costs_(std::move(costs)), inputs_(std::move(inputs)) {}

HostCosts GpuDevice::host_costs(const FrameworkInfo& framework) const {
  if (!framework.gpu_host) {
    throw UsageError("this framework has no record of how it drives a GPU yet");
  }
  const GpuHostCosts& host = *framework.gpu_host;
  return {.call = host.call,
          .sd = host.log_sd,
          .origin = {OriginKind::kDataSheet, host.source},
          .launch_latency = host.launch_latency,
          .graph_launch = host.graph_launch.value_or(Seconds(0))};
}

Bytes GpuDevice::memory() const {
  const auto& capacity = costs_.device().memory.capacity;
  PACELINE_ASSERT(capacity.has_value(), "a GPU has a memory");
  return capacity->value;
}

FlopsPerSecond GpuDevice::peak(Precision precision, int) const {
  return costs_.device().peak(precision);
}

RooflineLimits GpuDevice::limits(int) const {
  const DeviceSpec& spec = costs_.device();
  RooflineLimits limits{.peak = {},
                        .bandwidth = spec.memory.bandwidth.value,
                        .cores = 0,
                        .source = "data sheet of " + spec.name};
  for (const auto& [precision, peak] : spec.matrix_peak) limits.peak[precision] = peak.value;
  return limits;
}

}  // namespace paceline
