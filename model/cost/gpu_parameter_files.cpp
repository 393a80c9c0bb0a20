#include "model/cost/gpu_parameter_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>
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

// The boards of the catalog, read where one is asked for, and once.
class Boards {
 public:
  const DeviceCatalog& all() {
    if (!catalog_) catalog_ = DeviceCatalog::shipped();
    return *catalog_;
  }

 private:
  std::optional<DeviceCatalog> catalog_;
};

// What was measured needs no expectation, and the other boards need not be read.
bool needs_power(const ParameterSet& fits, const ParameterSet& own) {
  return std::ranges::any_of(fits.fits, [&](const Fit& fit) {
    return is_limited_by_power(fit.implementation) && own.find(fit.implementation) == nullptr;
  });
}

// What is expected of an architecture is expected of a board with enough power and at the reference
// clock.
void expect_of_board(const DeviceSpec& device, const ParameterSet& own, Boards& boards,
                     ParameterSet& architecture) {
  const bool with_power = needs_power(architecture, own);
  for (Fit& fit : architecture.fits) {
    if (with_power) {
      scale_compute_share(fit, power_share(device, boards.all(), fit.implementation));
    }
    const double of_launch = launch_scale(device, fit.implementation);
    for (Parameter& p : fit.parameters) {
      if (p.name == "launch") p.value *= of_launch;
    }
  }
}

// Boards with one chip differ by the power they have for it.
void expect_of_kin(const DeviceSpec& device, const std::string& lender, const ParameterSet& own,
                   Boards& boards, ParameterSet& lent) {
  if (!needs_power(lent, own)) return;
  const DeviceSpec& kin = boards.all().at(lender);
  for (Fit& fit : lent.fits) {
    scale_compute_share(fit, power_share_between(device, kin, boards.all(), fit.implementation));
  }
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
  Boards boards;
  if (was_measured(device.name)) out.own = read(device.name);
  if (device.same_chip) {
    for (const std::string& name : device.same_chip->value) {
      if (!was_measured(name)) continue;
      out.same_chip.push_back(read(name));
      expect_of_kin(device, name, out.own, boards, out.same_chip.back());
    }
    out.same_chip_sd = read("same-chip").at("gpu.same_chip").value("shared_sd");
  }
  out.common_share = read("transfer").at("gpu.transfer").value("common_share");
  out.architecture = read(std::string(kOfArchitecture) + device.architecture);
  expect_of_board(device, out.own, boards, out.architecture);
  return out;
}

}  // namespace paceline
