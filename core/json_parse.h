// Text to JSON with messages that say where the text is wrong: line and column of what is no JSON,
// keys that occur twice in one object, numbers that no double holds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace paceline {

// Throws InputError; `name` stands for the file in messages.
nlohmann::json parse_strictly(std::string_view text, const std::string& name);

}  // namespace paceline
