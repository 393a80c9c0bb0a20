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

// to_json_text of a list of objects that are given one by one: the values of a large sweep would
// take many times the memory of its text.
class JsonListText {
 public:
  void add(const nlohmann::ordered_json& item);
  std::string take() &&;

 private:
  std::string text_;
  std::size_t count_ = 0;
};

// to_json_text + write_text_file.
void write_json_file(const std::filesystem::path& file, const nlohmann::ordered_json& value);

}  // namespace paceline
