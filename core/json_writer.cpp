#include "core/json_writer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

bool is_flat(const ordered_json& value) {
  return std::none_of(value.begin(), value.end(),
                      [](const ordered_json& item) { return item.is_structured(); });
}

// Where a value stands, in words only if something is wrong with it.
struct Place {
  const Place* around = nullptr;
  const std::string* key = nullptr;  // of an object
  std::size_t index = 0;             // in an array

  std::string path() const {
    if (around == nullptr) return "";
    return around->path() + "/" + (key != nullptr ? *key : std::to_string(index));
  }
};

void append_text(const std::string& text, std::string& out) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (plain) {
    out.append(1, '"').append(text).append(1, '"');
  } else {
    out += ordered_json(text).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
}

void append_scalar(const ordered_json& value, const Place& place, std::string& out) {
  if (value.is_string()) {
    append_text(value.get_ref<const std::string&>(), out);
  } else if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    throw Error(ExitCode::kInternal,
                "refused to write a number that is not finite at " + place.path());
  } else {
    out += value.dump();
  }
}

void append(const ordered_json& value, const Place& place, std::size_t indent, std::string& out) {
  if (value.is_object() && !value.empty()) {
    out += "{";
    const char* separator = "\n";
    for (const auto& item : value.items()) {
      out.append(separator).append(indent + 2, ' ');
      append_text(item.key(), out);
      out += ": ";
      append(item.value(), {&place, &item.key()}, indent + 2, out);
      separator = ",\n";
    }
    out.append("\n").append(indent, ' ').append("}");
  } else if (value.is_array() && !value.empty()) {
    const bool flat = is_flat(value);
    out += "[";
    std::size_t index = 0;
    for (const ordered_json& item : value) {
      if (index > 0) out += flat ? ", " : ",";
      if (!flat) out.append("\n").append(indent + 2, ' ');
      append(item, {&place, nullptr, index++}, indent + 2, out);
    }
    if (!flat) out.append("\n").append(indent, ' ');
    out += "]";
  } else {
    append_scalar(value, place, out);
  }
}

}  // namespace

std::string to_json_text(const ordered_json& value) {
  std::string out;
  append(value, {}, 0, out);
  return out + "\n";
}

void JsonListText::add(const ordered_json& item) {
  PACELINE_ASSERT(item.is_structured(), "plain numbers would stand on one line");
  text_ += text_.empty() ? "[\n  " : ",\n  ";
  const Place list;
  append(item, {&list, nullptr, count_++}, 2, text_);
}

std::string JsonListText::take() && {
  text_ += text_.empty() ? "[]\n" : "\n]\n";
  return std::move(text_);
}

void write_json_file(const std::filesystem::path& file, const ordered_json& value) {
  write_text_file(file, to_json_text(value));
}

}  // namespace paceline
