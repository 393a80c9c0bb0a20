#include "calibration/gpu/own_device.h"

#include <algorithm>
#include <set>

#include "calibration/collective/copies.h"
#include "calibration/gpu/gpu_fit.h"
#include "calibration/report/fit_report.h"
#include "core/error.h"
#include "model/cost/gpu.h"
#include "simulator/device/kernel_of.h"

namespace paceline {
namespace {

bool has_text(const Measurement& m, const std::string& axis, const std::string& value) {
  const auto found = m.axes.find(axis);
  return found != m.axes.end() && found->second == AxisValue(value);
}

// Warm where both were taken: the fits of public timings are of warm operands, and the formula says
// how much a cache holds.
bool is_colder_twin(const Measurement& m, const MeasurementSet& set) {
  if (!has_text(m, "cache", "cold")) return false;
  Axes warm = m.axes;
  warm["cache"] = std::string("warm");
  return std::any_of(set.results.begin(), set.results.end(), [&](const Measurement& other) {
    return other.benchmark == m.benchmark && other.axes == warm && other.accepted_rounds() > 0;
  });
}

bool is_chosen_by_library(const Measurement& m) {
  return !m.axes.contains("algorithm") || has_text(m, "algorithm", "heuristic");
}

// Reads and writes only: not the formula's elementwise kernels.
bool is_probe(const Measurement& m) {
  return m.benchmark == "cuda.read" || m.benchmark == "cuda.write";
}

// Training runs PyTorch's attention; where that was timed, cuDNN's is there to be compared with it.
bool is_attention_of_cudnn(const Measurement& m) { return m.benchmark == "cudnn.attention"; }
bool has_attention_of_pytorch(const MeasurementSet& set) {
  return std::any_of(set.results.begin(), set.results.end(), [](const Measurement& m) {
    return m.benchmark == "aten.attention" && m.accepted_rounds() > 0;
  });
}

const DeviceSpec& measured_device(const MeasurementSet& kernels, const DeviceCatalog& catalog) {
  std::set<std::string> names;
  for (const Measurement& m : kernels.results) names.insert(m.text("device"));
  if (names.size() != 1) {
    throw InputError("the measurements are of " + std::to_string(names.size()) +
                     " devices; calibrate one at a time");
  }
  const DeviceSpec* device = catalog.find(*names.begin());
  if (device == nullptr) {
    throw InputError("the catalog has no device \"" + *names.begin() +
                     "\"; describe it in model/catalog/devices (docs/devices.md)");
  }
  return *device;
}

std::vector<HostCopyPoint> host_copies(const MeasurementSet& set, const std::string& memory) {
  std::vector<HostCopyPoint> out;
  for (const Measurement& m : set.results) {
    if (m.benchmark != "cuda.memcpy" || m.skipped || m.accepted_rounds() == 0) continue;
    if (!has_text(m, "memory", memory) || !has_text(m, "direction", "h2d")) continue;
    out.push_back({Bytes(static_cast<double>(m.integer("bytes"))), m.value()});
  }
  std::sort(out.begin(), out.end(),
            [](const HostCopyPoint& a, const HostCopyPoint& b) { return a.bytes < b.bytes; });
  return out;
}

// Adds the fits of copies from the host, where enough were measured.
void add_copies(const MeasurementSet& set, CalibrationResult& out) {
  constexpr std::size_t kFewest = 5;  // one more than the formula has parameters
  for (const char* memory : {"pinned", "pageable"}) {
    const std::string name = std::string("copy.") + memory;
    const std::vector<HostCopyPoint> points = host_copies(set, memory);
    if (points.empty()) continue;
    if (points.size() < kFewest) {
      out.refused[name] = "only " + std::to_string(points.size()) + " sizes were measured, " +
                          std::to_string(kFewest) + " are needed";
      continue;
    }
    try {
      out.parameters.fits.push_back(
          fit_host_copies(name, points, std::string(memory) == "pageable"));
    } catch (const InputError& error) {
      out.refused[name] = error.what();
    }
  }
}

std::vector<std::string> shapes_of(const GpuObservations& observations, const DeviceSpec& device) {
  std::set<std::string> out;
  for (const auto& [family, devices] : observations) {
    for (const GpuObservation& o : devices.at(device.name)) {
      out.insert(fitted_shape_text(o.observation.kernel));
    }
  }
  return {out.begin(), out.end()};
}

}  // namespace

MeasurementSet fitted_gpu_kernels(const MeasurementSet& measurements) {
  MeasurementSet out;
  out.provenance = measurements.provenance;
  const bool by_pytorch = has_attention_of_pytorch(measurements);
  for (const Measurement& m : measurements.results) {
    if (m.skipped || m.accepted_rounds() == 0 || !m.axes.contains("device")) continue;
    if (!is_chosen_by_library(m) || is_probe(m) || is_colder_twin(m, measurements)) continue;
    if (!kernel_of(m) || (by_pytorch && is_attention_of_cudnn(m))) continue;
    out.results.push_back(m);
    out.results.back().axes["timing"] = std::string("device");
  }
  return out;
}

CalibrationResult calibrate_gpu(const MeasurementSet& measurements,
                                const CalibrateOptions& options) {
  const MeasurementSet kernels = fitted_gpu_kernels(measurements);
  if (kernels.results.empty()) {
    throw InputError(
        "the measurements hold no kernel that can be fitted; measure some with: paceline measure "
        "--device cuda -o measurements.json");
  }
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  const DeviceSpec& device = measured_device(kernels, catalog);
  GpuObservations observations;
  add_observations(kernels, catalog, observations);
  const ParameterSet expected = read_gpu_parameters(device).architecture;
  CalibrationResult out;
  out.parameters.device = device.name;
  out.parameters.provenance = make_provenance("paceline calibrate", options.argv);
  out.parameters.provenance.host = measurements.provenance.host;
  out.parameters.provenance.libraries = measurements.provenance.libraries;
  out.parameters.sources = options.sources;
  for (const auto& [family, devices] : observations) {
    const std::vector<GpuObservation>& own = devices.at(device.name);
    const Fit* prior = expected.find(family);
    FitResult result = prior == nullptr ? fit_observations(family, own, {})
                                        : fit_observations(family, own, *prior, {});
    if (result.usable) {
      out.parameters.fits.push_back(result.fit);
    } else {
      out.refused[family] = result.termination;
    }
    out.fits.push_back(std::move(result));
  }
  add_copies(measurements, out);
  out.parameters.fitted_shapes = shapes_of(observations, device);
  out.report = fit_summary(out.fits);
  for (const FitResult& fit : out.fits) out.report += "\n" + fit.report;
  return out;
}

}  // namespace paceline
