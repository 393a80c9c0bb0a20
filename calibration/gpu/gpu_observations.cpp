#include "calibration/gpu/gpu_observations.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/json_reader.h"
#include "model/cost/gpu_family.h"
#include "model/cost/shape_quantities.h"
#include "simulator/device/kernel_of.h"

namespace paceline {
namespace {

// A call shorter than this is mostly the host's dispatch; beside timings of the device alone such
// calls would only say how long dispatch takes.
constexpr double kShortestCall = 200e-6;
constexpr double kShortestCallBesideDeviceTimings = 400e-6;
// Shapes whose extents agree within a factor of four share an error of the formula.
std::string group_of(const Kernel& kernel, const ExecutionContext& context) {
  std::string group;
  for (const auto& [quantity, value] : shape_quantities(kernel, context)) {
    if (quantity == "flops" || quantity == "bytes" || quantity == "threads") continue;
    group += quantity + std::to_string(static_cast<int>(std::log2(value) / 2)) + " ";
  }
  return group;
}

}  // namespace

Timing timing_of(const std::vector<GpuObservation>& observations) {
  const bool any = std::any_of(observations.begin(), observations.end(),
                               [](const auto& o) { return o.timing == Timing::kDevice; });
  return any ? Timing::kDevice : Timing::kCall;
}

// The observations that say something about the device, at most `most` of them, evenly chosen.
std::vector<Observation> usable(const std::vector<GpuObservation>& all, std::size_t most) {
  const double shortest =
      timing_of(all) == Timing::kDevice ? kShortestCallBesideDeviceTimings : kShortestCall;
  std::vector<Observation> kept;
  for (const GpuObservation& o : all) {
    if (o.timing == Timing::kCall && o.observation.measured.si() < shortest) continue;
    kept.push_back(o.observation);
  }
  if (kept.size() <= most) return kept;
  std::vector<Observation> thinned;
  for (std::size_t i = 0; i < most; ++i) thinned.push_back(kept[i * kept.size() / most]);
  return thinned;
}

void add_observations(const MeasurementSet& set, const DeviceCatalog& catalog,
                      GpuObservations& out) {
  for (const Measurement& measurement : set.results) {
    if (measurement.skipped) continue;
    const DeviceSpec& device = catalog.at(measurement.text("device"));
    const std::string timing = measurement.text("timing");
    if (timing != "device" && timing != "call") {
      throw InputError("measurement of " + measurement.benchmark + ": axis timing is \"" + timing +
                       "\"; allowed: device, call");
    }
    std::optional<Kernel> kernel = kernel_of(measurement);
    if (!kernel) throw InputError("measurement of " + measurement.benchmark + " has no shape");
    kernel->implementation = gpu_family(*kernel, device);
    if (measurement.axes.contains("library")) {
      kernel->implementation += "." + measurement.text("library");
    }
    Observation observation{.kernel = *kernel,
                            .context = {.device = &device},
                            .measured = measurement.value(),
                            .noise = 0,
                            .group = group_of(*kernel, {})};
    out[kernel->implementation][device.name].push_back(
        {std::move(observation), timing == "device" ? Timing::kDevice : Timing::kCall});
  }
}

std::vector<AchievedShare> read_achieved_shares(const std::filesystem::path& file,
                                                const DeviceCatalog& catalog) {
  const JsonDocument document = read_json_file(file, "paceline.achieved-shares/1");
  JsonObject root = document.root();
  root.string("source");
  std::vector<std::string> families;
  for (const GpuFamily& family : gpu_families()) families.emplace_back(family.name);
  std::vector<AchievedShare> out;
  for (JsonObject object : root.objects("shares")) {
    AchievedShare share;
    share.device = object.one_of("device", catalog.names());
    share.family = object.one_of("family", families);
    share.share = object.positive("share");
    if (share.share > 1) object.fail("share", "expected a share of at most 1");
    object.finish();
    out.push_back(std::move(share));
  }
  root.finish();
  return out;
}

}  // namespace paceline
