#include "core/json_writer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

bool is_flat(const ordered_json& value) {
  return std::none_of(value.begin(), value.end(),
                      [](const ordered_json& item) { return item.is_structured(); });
}

void append(const ordered_json& value, const std::string& path, int depth, std::string& out) {
  const std::string inner(static_cast<std::size_t>(depth + 1) * 2, ' ');
  const std::string outer(static_cast<std::size_t>(depth) * 2, ' ');
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    throw Error(ExitCode::kInternal, "refused to write a number that is not finite at " + path);
  }
  if (value.is_object() && !value.empty()) {
    out += "{\n";
    bool first = true;
    for (const auto& item : value.items()) {
      out += (first ? "" : ",\n") + inner + ordered_json(item.key()).dump() + ": ";
      append(item.value(), path + "/" + item.key(), depth + 1, out);
      first = false;
    }
    out += "\n" + outer + "}";
  } else if (value.is_array() && !value.empty()) {
    const bool flat = is_flat(value);
    out += flat ? "[" : "[\n";
    std::size_t index = 0;
    for (const ordered_json& item : value) {
      if (index > 0) out += flat ? ", " : ",\n";
      if (!flat) out += inner;
      append(item, path + "/" + std::to_string(index++), depth + 1, out);
    }
    out += flat ? "]" : "\n" + outer + "]";
  } else {
    out += value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
}

}  // namespace

std::string to_json_text(const ordered_json& value) {
  std::string out;
  append(value, "", 0, out);
  return out + "\n";
}

void write_json_file(const std::filesystem::path& file, const ordered_json& value) {
  write_text_file(file, to_json_text(value));
}

}  // namespace paceline
