// One link of the user's own as a file: what `paceline calibrate` writes of a measured one, and
// what --intra, --net and --link take in place of a name.
#pragma once

#include <filesystem>
#include <string>

#include "model/hardware/link_spec.h"

namespace paceline {

// A "paceline.links/1" file with exactly one link. Throws InputError.
LinkSpec read_link_file(const std::filesystem::path& file);
// What read_link_file() reads back; of a link that is no network.
std::string link_file_text(const LinkSpec& link);

}  // namespace paceline
