// Writing JSON that refuses NaN and infinity.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/text_file.h"

namespace paceline {

// Two-space indented text with a final newline. Arrays of plain numbers stay on one line. Keys keep
// their insertion order. Throws Error (internal) if a number is not finite, naming its path.
std::string to_json_text(const nlohmann::ordered_json& value);

// to_json_text + write_text_file.
void write_json_file(const std::filesystem::path& file, const nlohmann::ordered_json& value);

}  // namespace paceline
