#include "simulator/device/probe.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "core/error.h"
#include "core/units_text.h"
#include "model/cost/gpu_limits.h"
#include "model/hardware/device_catalog.h"
#include "simulator/device/kernel_of.h"

namespace paceline {
namespace {

// A call shorter than this is mostly the host's dispatch.
constexpr Seconds kShortestCall = Seconds(200e-6);

// Boards run above their data-sheet clock, none by this much.
constexpr double kFastestAgainstPeak = 1.5;

// Axes that are extents of a kernel; where one of the second list is 0 there is none of it.
constexpr std::string_view kExtents[] = {
    "m",     "n",      "k",      "batch",    "c",        "h",        "w",
    "r",     "s",      "groups", "stride_h", "stride_w", "gates",    "hidden",
    "steps", "layers", "seq",    "heads",    "kv_heads", "head_dim", "elements"};
constexpr std::string_view kExtentsOrNone[] = {"pad_h", "pad_w", "input", "row"};
constexpr std::int64_t kLargestExtent = 1'000'000'000'000;
// More than any device holds; products of extents that stay below it do not overflow.
constexpr Bytes kMostTraffic = Bytes(1e12);

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

void check_extents(const Measurement& timing) {
  for (const auto& [axis, value] : timing.axes) {
    const std::int64_t* extent = std::get_if<std::int64_t>(&value);
    if (extent == nullptr) continue;
    const std::string_view name = axis;
    const bool may_be_none = std::find(std::begin(kExtentsOrNone), std::end(kExtentsOrNone),
                                       name) != std::end(kExtentsOrNone);
    const bool is_extent = may_be_none || std::find(std::begin(kExtents), std::end(kExtents),
                                                    name) != std::end(kExtents);
    const std::int64_t least = may_be_none ? 0 : 1;
    if (!is_extent || (*extent >= least && *extent <= kLargestExtent)) continue;
    throw InputError("axis " + axis + " is " + std::to_string(*extent) +
                     "; allowed: a whole number from " + std::to_string(least) + " to " +
                     std::to_string(kLargestExtent));
  }
}

void check_convolution(const ConvShape& shape) {
  if (shape.c % shape.groups != 0 || shape.k % shape.groups != 0) {
    throw InputError("axis groups is " + std::to_string(shape.groups) +
                     "; allowed: a divisor of c and k, " + std::to_string(shape.c) + " and " +
                     std::to_string(shape.k));
  }
  if (shape.r > shape.h + 2 * shape.pad_h || shape.s > shape.w + 2 * shape.pad_w) {
    throw InputError("a filter of " + std::to_string(shape.r) + "x" + std::to_string(shape.s) +
                     "; allowed: at most the padded input, " +
                     std::to_string(shape.h + 2 * shape.pad_h) + "x" +
                     std::to_string(shape.w + 2 * shape.pad_w));
  }
}

void check_traffic(const Kernel& kernel) {
  const Bytes traffic = kernel_bytes(kernel.shape, kernel.precision);
  if (traffic > Bytes(0) && traffic <= kMostTraffic) return;
  throw InputError(to_string(kernel.shape) + " touches " + to_text(std::min(traffic, Bytes(1e99))) +
                   "; allowed: more than nothing, at most " + to_text(kMostTraffic));
}

void check_time(const Kernel& kernel, Seconds taken, const DeviceSpec& device) {
  // The shortest times there are would give infinity.
  const double against_peak = std::min(least_time(kernel, device) / taken, 1e99);
  if (against_peak <= kFastestAgainstPeak) return;
  throw InputError(to_text(taken) + " of " + to_string(kernel.shape) + " would be " +
                   significant(against_peak) + " times the data-sheet peak of " + device.name +
                   "; allowed: up to " + significant(kFastestAgainstPeak, 2) + " times");
}

void add(const Measurement& timing, const GpuCostModel& costs,
         std::map<std::string, Sums>& families) {
  const std::optional<Kernel> kernel = kernel_of(timing);
  if (!kernel || !is_usable(timing)) return;
  check_device(timing, costs.device());
  check_extents(timing);
  if (const auto* convolution = std::get_if<ConvShape>(&kernel->shape)) {
    check_convolution(*convolution);
  }
  check_traffic(*kernel);
  check_time(*kernel, timing.value(), costs.device());
  const KernelCost cost = costs.cost(*kernel, {});
  Sums& sums = families[cost.family];
  const double own = cost.own_sd * cost.own_sd;
  sums.prior_variance = std::max(sums.prior_variance, cost.shared_sd * cost.shared_sd);
  sums.precision += 1 / own;
  sums.weighted += std::log(timing.value() / cost.time) / own;
  ++sums.timings;
}

}  // namespace

std::map<std::string, FamilyRefinement> refinements(const MeasurementSet& timings,
                                                    const GpuCostModel& costs,
                                                    const std::string& file) {
  std::map<std::string, Sums> families;
  for (std::size_t i = 0; i < timings.results.size(); ++i) {
    const std::string where = file + ":/results/" + std::to_string(i) + ": ";
    try {
      add(timings.results[i], costs, families);
    } catch (const UsageError& error) {  // a precision that is unknown, or that the device lacks
      throw InputError(where + error.what());
    } catch (const InputError& error) {
      throw InputError(where + error.what());
    }
  }
  if (families.empty()) {
    throw InputError(file + ": holds no timing of a kernel of " + costs.device().name);
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
