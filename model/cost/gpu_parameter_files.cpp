#include "model/cost/gpu_parameter_files.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"
#include "core/names.h"
#include "core/provenance.h"
#include "model/hardware/device_catalog.h"
#include "model/hardware/launch_latency.h"
#include "model/hardware/power_share.h"

namespace paceline {
namespace {

constexpr std::string_view kOfArchitecture = "architecture-";

// What is expected of an architecture is expected of a board with enough power and at the reference
// clock. What was measured needs no expectation, and the other boards of the architecture need not
// be read.
void expect_of_board(const DeviceSpec& device, const ParameterSet& own,
                     ParameterSet& architecture) {
  const bool needed = std::ranges::any_of(architecture.fits, [&](const Fit& fit) {
    return is_limited_by_power(fit.implementation) && own.find(fit.implementation) == nullptr;
  });
  if (needed) {
    const DeviceCatalog boards = DeviceCatalog::shipped();
    for (Fit& fit : architecture.fits) {
      scale_compute_share(fit, power_share(device, boards, fit.implementation));
    }
  }
  for (Fit& fit : architecture.fits) {
    const double of_launch = launch_scale(device, fit.implementation);
    for (Parameter& p : fit.parameters) {
      if (p.name == "launch") p.value *= of_launch;
    }
  }
}

// Boards with one chip differ by the power they have for it.
ParameterSet lent(ParameterSet fits, const std::string& lender, const DeviceSpec& device) {
  const DeviceCatalog boards = DeviceCatalog::shipped();
  for (Fit& fit : fits.fits) {
    scale_compute_share(fit,
                        power_share_between(device, boards.at(lender), boards, fit.implementation));
  }
  return fits;
}

std::vector<std::string> known_architectures(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string stem = entry.path().stem().string();
    if (stem.starts_with(kOfArchitecture)) out.push_back(stem.substr(kOfArchitecture.size()));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

GpuParameterFiles read_gpu_parameters(const DeviceSpec& device) {
  const std::filesystem::path folder = data_directory() / "calibration" / "fitted" / "gpu";
  GpuParameterFiles out;
  const auto file_of = [&](const std::string& name) { return folder / (name + ".json"); };
  const auto read = [&](const std::string& name) {
    const std::string text = read_text_file(file_of(name));
    out.inputs.push_back({name + ".json", sha256_hex(text)});
    return parse_parameters(text, file_of(name).string());
  };
  const auto was_measured = [&](const std::string& name) {
    return std::filesystem::exists(file_of(name)) && DeviceCatalog::is_shipped(name);
  };
  const std::vector<std::string> architectures = known_architectures(folder);
  if (std::ranges::find(architectures, device.architecture) == architectures.end()) {
    throw InputError("device " + device.name + ": " +
                     unknown_name_message("architecture", device.architecture, architectures));
  }
  if (was_measured(device.name)) out.own = read(device.name);
  if (device.same_chip) {
    for (const std::string& name : device.same_chip->value) {
      if (was_measured(name)) out.same_chip.push_back(lent(read(name), name, device));
    }
    out.same_chip_sd = read("same-chip").at("gpu.same_chip").value("shared_sd");
  }
  out.common_share = read("transfer").at("gpu.transfer").value("common_share");
  out.architecture = read(std::string(kOfArchitecture) + device.architecture);
  expect_of_board(device, out.own, out.architecture);
  return out;
}

}  // namespace paceline
