// A device that a file describes instead of the catalog: wherever a name of the catalog may stand,
// the path of such a file may.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "model/hardware/device_catalog.h"

namespace paceline {

// Whether it is a path rather than a name: it has a folder, or ends as files do.
bool is_device_path(std::string_view name_or_file);
// Whether the text is a device file, of whatever version, rather than one of parameters.
bool is_device_text(std::string_view text);

struct DescribedDevice {
  std::string name;
  std::optional<DeviceSpec> spec;  // none for measured parameters of a device without a data sheet
};

// A device file, or a parameter file, whose device `catalog` may know. Throws InputError for what
// is neither, and what check_beside throws.
DescribedDevice read_described_device(const std::filesystem::path& file,
                                      const DeviceCatalog& catalog);
// The same, whose facts must be known. Throws InputError where they are not.
DeviceSpec read_described_spec(const std::filesystem::path& file, const DeviceCatalog& catalog);

// A path in a file is relative to that file's folder.
std::filesystem::path beside(const std::filesystem::path& file, const std::string& named_in_it);

}  // namespace paceline
