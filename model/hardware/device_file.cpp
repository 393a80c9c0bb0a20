#include "model/hardware/device_file.h"

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"
#include "model/parameters/parameter_set.h"

namespace paceline {
namespace {

// The file that paceline ships, or a copy.
bool is_shipped_file(const DeviceSpec& spec, const std::string& text) {
  const std::filesystem::path file =
      data_directory() / "model" / "catalog" / "devices" / (spec.name + ".json");
  return std::filesystem::exists(file) && read_text_file(file) == text;
}

}  // namespace

bool is_device_path(std::string_view name_or_file) {
  return name_or_file.find('/') != std::string_view::npos || name_or_file.ends_with(".json");
}

bool is_device_text(std::string_view text) {
  return text.find("\"paceline.device/") != std::string_view::npos;
}

DescribedDevice read_described_device(const std::filesystem::path& file,
                                      const DeviceCatalog& catalog) {
  const std::string text = read_text_file(file);
  if (is_device_text(text)) {
    DeviceSpec spec = read_device(file);
    if (!is_shipped_file(spec, text)) check_beside(catalog, spec, file);
    return {spec.name, spec};
  }
  const std::string name = parse_parameters(text, file.string()).device;
  const DeviceSpec* known = catalog.find(name);
  if (known == nullptr) return {name, std::nullopt};
  return {known->name, *known};
}

DeviceSpec read_described_spec(const std::filesystem::path& file, const DeviceCatalog& catalog) {
  DescribedDevice device = read_described_device(file, catalog);
  if (device.spec) return std::move(*device.spec);
  throw InputError(file.string() + ": parameters of \"" + device.name +
                   "\", of which no data sheet is known; a device file describes it");
}

std::filesystem::path beside(const std::filesystem::path& file, const std::string& named_in_it) {
  return file.parent_path() / named_in_it;  // which an absolute path replaces
}

}  // namespace paceline
