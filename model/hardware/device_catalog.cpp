#include "model/hardware/device_catalog.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/names.h"

namespace paceline {
namespace {

// Lower case, hyphens and underscores as spaces, cut at the clock that lscpu appends.
std::string spaced_lower(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, name.find('@'))) {
    const bool separates = c == '-' || c == '_' || c == '(' || c == ')';
    text += separates ? ' ' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return text;
}

bool is_decoration(std::string_view word) {
  constexpr std::array<std::string_view, 12> kWords = {"nvidia", "tesla",    "geforce", "quadro",
                                                       "amd",    "instinct", "intel",   "xeon",
                                                       "core",   "cpu",      "r",       "tm"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool contains_key(const DeviceSpec& device, const std::string& key) {
  if (device_key(device.name) == key) return true;
  return std::any_of(device.aliases.begin(), device.aliases.end(),
                     [&key](const std::string& alias) { return device_key(alias) == key; });
}

// Throws if one name leads to two devices.
void check_names_differ(const std::vector<DeviceSpec>& devices) {
  std::map<std::string, std::string> owner;
  for (const DeviceSpec& device : devices) {
    std::vector<std::string> names = device.aliases;
    names.push_back(device.name);
    for (const std::string& name : names) {
      const auto [entry, is_new] = owner.emplace(device_key(name), device.name);
      if (is_new) continue;
      throw InputError("device catalog: the name \"" + name + "\" of " + device.name +
                       " already stands for " + entry->second);
    }
  }
}

// Whether both can be boards with one chip.
bool can_have_one_chip(const DeviceSpec& a, const DeviceSpec& b) {
  return a.kind == b.kind && a.architecture == b.architecture &&
         a.multiprocessors.value == b.multiprocessors.value;
}

std::string chip_text(const DeviceSpec& device) {
  return "architecture " + device.architecture + " with " +
         std::to_string(device.multiprocessors.value) + " multiprocessors";
}

// Throws if a device is said to have the chip of one that cannot have it.
void check_chips_agree(const DeviceCatalog& catalog) {
  for (const DeviceSpec& device : catalog.devices()) {
    if (!device.same_chip) continue;
    for (const std::string& name : device.same_chip->value) {
      const DeviceSpec* other = catalog.find(name);
      if (other != nullptr && other->name == name && other->name != device.name &&
          can_have_one_chip(device, *other)) {
        continue;
      }
      throw InputError("device catalog: " + device.name + "/same_chip: \"" + name +
                       "\" is no other device of " + chip_text(device));
    }
  }
}

}  // namespace

std::string device_key(std::string_view name) {
  const std::string text = spaced_lower(name);
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = std::string_view(text).substr(at, end - at);
    if (!is_decoration(word)) kept += word;
    at = end + 1;
  }
  return normalized_name(kept);
}

DeviceCatalog DeviceCatalog::load(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (files.empty()) throw InputError(folder.string() + ": holds no device files (*.json)");
  std::sort(files.begin(), files.end());
  DeviceCatalog catalog;
  for (const std::filesystem::path& file : files) {
    catalog.devices_.push_back(read_device(file));
    if (catalog.devices_.back().name == file.stem()) continue;
    throw InputError(file.string() + ":/name: \"" + catalog.devices_.back().name +
                     "\" differs from the name of the file");
  }
  check_names_differ(catalog.devices_);
  check_chips_agree(catalog);
  return catalog;
}

namespace {

std::filesystem::path shipped_folder() {
  return data_directory() / "model" / "catalog" / "devices";
}

}  // namespace

DeviceCatalog DeviceCatalog::shipped() { return load(shipped_folder()); }

bool DeviceCatalog::is_shipped(std::string_view name) {
  // Files are called as their devices are.
  return std::filesystem::exists(shipped_folder() / (std::string(name) + ".json"));
}

DeviceSpec DeviceCatalog::shipped_device(std::string_view name) {
  const std::string key = device_key(name);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(shipped_folder(), error)) {
    const std::filesystem::path& file = entry.path();
    if (file.extension() == ".json" && device_key(file.stem().string()) == key) {
      return read_device(file);
    }
  }
  return shipped().at(name);
}

std::vector<std::string> DeviceCatalog::names() const {
  std::vector<std::string> names;
  for (const DeviceSpec& device : devices_) names.push_back(device.name);
  return names;
}

const DeviceSpec* DeviceCatalog::find(std::string_view name) const {
  const std::string key = device_key(name);
  for (const DeviceSpec& device : devices_) {
    if (contains_key(device, key)) return &device;
  }
  return nullptr;
}

const DeviceSpec& DeviceCatalog::at(std::string_view name) const {
  if (const DeviceSpec* found = find(name)) return *found;
  std::string longer;  // names of which this is only the beginning
  for (const DeviceSpec& device : devices_) {
    if (!device_key(device.name).starts_with(device_key(name))) continue;
    longer += (longer.empty() ? "" : ", ") + device.name;
  }
  if (!device_key(name).empty() && !longer.empty()) {
    throw UsageError("device \"" + std::string(name) + "\" is not one device; choose " + longer);
  }
  throw UsageError(unknown_name_message("device", name, names()));
}

void check_beside(const DeviceCatalog& catalog, const DeviceSpec& device,
                  const std::filesystem::path& file) {
  if (const DeviceSpec* known = catalog.find(device.name)) {
    throw InputError(file.string() + ":/name: \"" + device.name + "\" stands for " + known->name +
                     " of the catalog, which this file differs from; give it a name of its own");
  }
  if (!device.same_chip) return;
  for (const std::string& name : device.same_chip->value) {
    const DeviceSpec* other = catalog.find(name);
    if (other != nullptr && other->name == name) {
      if (can_have_one_chip(device, *other)) continue;
      throw InputError(file.string() + ":/same_chip/devices: \"" + name + "\" is a " +
                       std::string(to_string(other->kind)) + " of " + chip_text(*other) +
                       "; expected a " + std::string(to_string(device.kind)) + " of " +
                       chip_text(device));
    }
    const std::string itself = name == device.name ? "this is the device itself; " : "";
    throw InputError(file.string() + ":/same_chip/devices: " + itself +
                     unknown_name_message("device of the catalog", name, catalog.names()));
  }
}

}  // namespace paceline
