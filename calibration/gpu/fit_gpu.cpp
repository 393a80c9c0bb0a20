// paceline_fit_gpu MEASUREMENTS OUT REPORT [UNSEEN] [--only FAMILY,...]
//
// Fits the GPU kernel families to the measurement files in the folder MEASUREMENTS
// (calibration/public/import_gpu_kernels.py writes them), and writes one parameter file per
// measured device and one per architecture ("architecture-<name>.json") into OUT, and the accuracy
// report. Devices of the folder UNSEEN are only scored. With --only, other families are left out.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "calibration/gpu/attention_gradient.h"
#include "calibration/gpu/gpu_fit.h"
#include "calibration/gpu/gpu_report.h"
#include "calibration/selection/split.h"
#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_writer.h"
#include "core/provenance.h"
#include "model/cost/gpu_family.h"
#include "model/parameters/parameter_set.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;

struct Input {
  GpuObservations observations;
  std::vector<SourceFile> sources;                            // of everything
  std::map<std::string, std::vector<SourceFile>> sources_of;  // of the collections with a device
};

Input read_folder(const fs::path& folder, const DeviceCatalog& catalog) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  Input out;
  for (const fs::path& file : files) {
    const MeasurementSet set = read_measurements(file);
    add_observations(set, catalog, out.observations);
    std::set<std::string> devices;
    for (const Measurement& result : set.results) devices.insert(result.text("device"));
    for (const auto& [name, sha256] : set.provenance.libraries) {
      const SourceFile source{.file = file.stem().string() + ": " + name,
                              .sha256 = sha256,
                              .licence = set.provenance.environment.at("licence")};
      out.sources.push_back(source);
      for (const std::string& device : devices) out.sources_of[device].push_back(source);
    }
  }
  return out;
}

std::vector<std::string> seen_shapes(const std::string& device, const GpuObservations& all,
                                     const std::vector<FamilyFit>& families) {
  std::set<std::string> shapes;
  for (const FamilyFit& family : families) {
    const auto fitted = family.devices.find(device);
    if (fitted == family.devices.end()) continue;
    std::set<std::string> used;
    for (const FittedSample& sample : fitted->second.samples) used.insert(sample.shape);
    for (const GpuObservation& o : all.at(family.family).at(device)) {
      if (used.contains(to_string(o.observation.kernel.shape))) {
        shapes.insert(fitted_shape_text(o.observation.kernel));
      }
    }
  }
  return {shapes.begin(), shapes.end()};
}

FamilyFit attention_gradient(const FamilyFit& forward, const GpuObservations& all) {
  const auto& older_forward = all.at("gpu.attention.forward.flash-1");
  const auto& older_backward = all.at("gpu.attention.backward.flash-1");
  return derive_attention_gradient(forward, older_forward.begin()->second,
                                   older_backward.begin()->second, {});
}

// Takes "--only a,b" off the end of the arguments; empty: all families.
std::string take_only(std::vector<std::string>& arguments) {
  const std::size_t n = arguments.size();
  if (n < 2 || arguments[n - 2] != "--only") return "";
  const std::string only = "," + arguments.back() + ",";
  arguments.resize(n - 2);
  return only;
}

int run(std::vector<std::string> arguments) {
  const std::string only = take_only(arguments);
  if (arguments.size() < 3 || arguments.size() > 4) {
    throw UsageError(
        "usage: paceline_fit_gpu MEASUREMENTS OUT REPORT [UNSEEN] [--only FAMILY,...]");
  }
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  const Input input = read_folder(arguments[0], catalog);
  Provenance provenance = make_provenance("paceline_fit_gpu", {});
  provenance.host = {};  // the fits are of published timings, not of this machine
  const std::vector<AchievedShare> achieved =
      read_achieved_shares(data_directory() / "calibration/public/achieved_shares.json", catalog);
  std::vector<FamilyFit> families;
  for (const GpuFamily& family : gpu_families()) {
    if (!only.empty() && only.find("," + std::string(family.name) + ",") == std::string::npos) {
      continue;
    }
    const auto found = input.observations.find(std::string(family.name));
    if (family.name == "gpu.attention.backward") {
      families.push_back(attention_gradient(families.back(), input.observations));
      continue;
    }
    if (found == input.observations.end()) continue;
    families.push_back(fit_family(found->first, found->second, achieved, catalog, {}));
    for (const auto& [device, result] : families.back().devices) {
      std::cerr << device << " " << result.report << "\n";
    }
  }
  std::map<std::string, ParameterSet> devices, architectures;
  for (const FamilyFit& family : families) {
    for (const auto& [device, result] : family.devices) {
      if (result.usable) devices[device].fits.push_back(result.fit);
    }
    for (const auto& [name, fit] : family.architectures) architectures[name].fits.push_back(fit);
  }
  for (auto& [device, set] : devices) {
    set.provenance = provenance;
    set.device = device;
    set.fitted_shapes = seen_shapes(device, input.observations, families);
    set.sources = input.sources_of.at(device);
    write_parameters(fs::path(arguments[1]) / (device + ".json"), set);
  }
  for (auto& [name, set] : architectures) {
    set.provenance = provenance;
    set.device = "architecture " + name;
    set.sources = input.sources;
    write_parameters(fs::path(arguments[1]) / ("architecture-" + name + ".json"), set);
  }
  std::vector<UnseenDevice> unseen;
  if (arguments.size() == 4) {
    const Input held = read_folder(arguments[3], catalog);
    unseen = score_unseen(families, held.observations, catalog);
  }
  write_text_file(arguments[2], gpu_report(families, unseen));
  return 0;
}

}  // namespace
}  // namespace paceline

int main(int argc, char** argv) {
  try {
    return paceline::run({argv + 1, argv + argc});
  } catch (const paceline::Error& error) {
    std::cerr << "paceline_fit_gpu: " << error.what() << "\n";
    return static_cast<int>(error.code());
  }
}
