// All devices that paceline knows from data sheets, looked up by the names people and tools use.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/hardware/device_spec.h"

namespace paceline {

// The form under which device names are compared: normalized_name (core/names.h) of `name` without
// the words that vendors and tools add ("NVIDIA", "Tesla", "(R)", "CPU @ 2.40GHz").
std::string device_key(std::string_view name);

class DeviceCatalog {
 public:
  // Reads every *.json in `folder`, sorted by name. Throws InputError if the folder is missing or
  // empty, a file is invalid, or a name or alias means two devices.
  static DeviceCatalog load(const std::filesystem::path& folder);
  // The catalog that paceline ships.
  static DeviceCatalog shipped();
  // One device of it: what shipped().at(name) is, without reading the others where `name` is a
  // name of the catalog and no alias.
  static DeviceSpec shipped_device(std::string_view name);
  // Whether it has a device of exactly this name.
  static bool is_shipped(std::string_view name);

  // Beside those it has; the name must not be one of theirs.
  void add(DeviceSpec device) { devices_.push_back(std::move(device)); }

  const std::vector<DeviceSpec>& devices() const { return devices_; }
  std::vector<std::string> names() const;

  // Null when there is none of this name or alias.
  const DeviceSpec* find(std::string_view name) const;
  // Throws UsageError if there is none: with the names that begin like this one ("v100"), else with
  // the nearest.
  const DeviceSpec& at(std::string_view name) const;

 private:
  std::vector<DeviceSpec> devices_;
};

// For the device of a file that is not of the catalog. Throws InputError if the catalog knows its
// name, for it would be given what was measured on that one, or if `same_chip` names anything but
// devices of the catalog that can have its chip.
void check_beside(const DeviceCatalog& catalog, const DeviceSpec& device,
                  const std::filesystem::path& file);

}  // namespace paceline
