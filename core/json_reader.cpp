#include "core/json_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/names.h"

namespace paceline {
namespace {

using nlohmann::json;

// What a value is, in words and short: `the string "abc"`, `the number 3`, `an array`.
std::string describe(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array of " + std::to_string(value.size());
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  if (value.is_string()) return "the string " + text;
  if (value.is_number()) return "the number " + text;
  return text;
}

// The integer in `value`, or `fail(message)`; unsigned numbers beyond 2^63 would wrap.
template <typename Fail>
std::int64_t whole(const json& value, Fail fail) {
  if (!value.is_number_integer()) fail("expected an integer, found " + describe(value));
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
    fail("expected an integer below 2^63, found " + describe(value));
  }
  return value.get<std::int64_t>();
}

std::string place_of(std::string_view text, std::size_t byte) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
    ++column;
    if (text[i] == '\n') {
      ++line;
      column = 1;
    }
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// The first number of a text that no double holds, and where it is.
std::string number_out_of_range(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (quoted || std::string_view("-0123456789").find(text[i]) == std::string_view::npos) continue;
    const std::size_t end = std::min(text.find_first_not_of("+-.0123456789eE", i), text.size());
    const std::string number(text.substr(i, end - i));
    if (!std::isfinite(std::strtod(number.c_str(), nullptr))) {
      return number.substr(0, 40) + " at " + place_of(text, i + 1);
    }
    i = end - 1;
  }
  return "one of its numbers";
}

// Refuses a key that occurs twice in one object, which a plain parse would silently overwrite.
class DuplicateKeyCheck {
 public:
  explicit DuplicateKeyCheck(std::string name) : name_(std::move(name)) {}
  bool operator()(int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key) {
      const std::string key = parsed.get<std::string>();
      if (!open_.back().insert(key).second) {
        throw InputError(name_ + ": the key \"" + key + "\" occurs twice in one object");
      }
    }
    return true;
  }

 private:
  std::string name_;
  std::vector<std::set<std::string>> open_;
};

std::string_view kind_of(std::string_view schema) { return schema.substr(0, schema.find('/')); }

void check_schema(const JsonDocument& document, std::string_view wanted) {
  const std::string found = document.schema();
  if (found == wanted) return;
  std::string message = document.name() + ":/schema: this is \"" + found + "\", expected \"" +
                        std::string(wanted) + "\"";
  if (kind_of(found) == kind_of(wanted)) message += " (written by another version of paceline)";
  throw InputError(message);
}

}  // namespace

JsonObject::JsonObject(const json& value, std::string path)
    : value_(&value), path_(std::move(path)) {
  if (!value.is_object()) {
    throw InputError(path_ + ": expected an object, found " + describe(value));
  }
}

bool JsonObject::has(std::string_view key) { return value_->contains(std::string(key)); }

std::vector<std::string> JsonObject::keys() const {
  std::vector<std::string> out;
  for (const auto& item : value_->items()) out.push_back(item.key());
  return out;
}

void JsonObject::fail(std::string_view key, const std::string& message) const {
  throw InputError(path_ + (path_.ends_with('/') ? "" : "/") + std::string(key) + ": " + message);
}

const json& JsonObject::at(std::string_view key) {
  const auto found = value_->find(std::string(key));
  if (found == value_->end()) {
    const std::vector<std::string> near = nearest_names(key, keys(), 1);
    fail(key, "missing" + (near.empty() ? std::string() : "; found \"" + near[0] + "\" instead"));
  }
  read_.insert(std::string(key));
  return *found;
}

const json& JsonObject::raw(std::string_view key) { return at(key); }

std::string JsonObject::string(std::string_view key) {
  const json& value = at(key);
  if (!value.is_string()) fail(key, "expected a string, found " + describe(value));
  return value.get<std::string>();
}

std::string JsonObject::string_or(std::string_view key, std::string fallback) {
  return has(key) ? string(key) : std::move(fallback);
}

std::string JsonObject::one_of(std::string_view key, std::span<const std::string> allowed) {
  std::string value = string(key);
  for (const std::string& candidate : allowed) {
    if (value == candidate) return value;
  }
  fail(key, unknown_name_message("value", value, allowed));
}

bool JsonObject::boolean(std::string_view key) {
  const json& value = at(key);
  if (!value.is_boolean()) fail(key, "expected true or false, found " + describe(value));
  return value.get<bool>();
}

bool JsonObject::boolean_or(std::string_view key, bool fallback) {
  return has(key) ? boolean(key) : fallback;
}

double JsonObject::number(std::string_view key) {
  const json& value = at(key);
  if (!value.is_number()) fail(key, "expected a number, found " + describe(value));
  const double number = value.get<double>();
  if (!std::isfinite(number)) fail(key, "expected a finite number, found " + describe(value));
  return number;
}

double JsonObject::number_or(std::string_view key, double fallback) {
  return has(key) ? number(key) : fallback;
}

double JsonObject::positive(std::string_view key) {
  const double value = number(key);
  if (value <= 0) fail(key, "expected a positive number, found " + significant(value, 6));
  return value;
}

std::int64_t JsonObject::integer(std::string_view key) {
  const json& value = at(key);
  return whole(value, [&](const std::string& message) { fail(key, message); });
}

int JsonObject::count(std::string_view key, int least, int most) {
  const std::int64_t value = integer(key);
  if (value < least || value > most) {
    fail(key, "expected a whole number from " + std::to_string(least) + " to " +
                  std::to_string(most) + ", found " + std::to_string(value));
  }
  return static_cast<int>(value);
}

int JsonObject::count_or(std::string_view key, int fallback, int least, int most) {
  return has(key) ? count(key, least, most) : fallback;
}

std::int64_t JsonObject::integer_or(std::string_view key, std::int64_t fallback) {
  return has(key) ? integer(key) : fallback;
}

std::vector<double> JsonObject::numbers(std::string_view key) {
  const json& value = at(key);
  if (!value.is_array()) fail(key, "expected an array of numbers, found " + describe(value));
  std::vector<double> out;
  for (const json& item : value) {
    if (!item.is_number()) {
      fail(std::string(key) + "/" + std::to_string(out.size()),
           "expected a number, found " + describe(item));
    }
    out.push_back(item.get<double>());
    if (!std::isfinite(out.back())) {
      fail(std::string(key) + "/" + std::to_string(out.size() - 1), "expected a finite number");
    }
  }
  return out;
}

std::vector<std::int64_t> JsonObject::integers(std::string_view key) {
  const json& value = at(key);
  if (!value.is_array()) fail(key, "expected an array of integers, found " + describe(value));
  std::vector<std::int64_t> out;
  for (const json& item : value) {
    out.push_back(whole(item, [&](const std::string& message) {
      fail(std::string(key) + "/" + std::to_string(out.size()), message);
    }));
  }
  return out;
}

std::vector<std::string> JsonObject::strings(std::string_view key) {
  const json& value = at(key);
  if (!value.is_array()) fail(key, "expected an array of strings, found " + describe(value));
  std::vector<std::string> out;
  for (const json& item : value) {
    if (!item.is_string()) {
      fail(std::string(key) + "/" + std::to_string(out.size()),
           "expected a string, found " + describe(item));
    }
    out.push_back(item.get<std::string>());
  }
  return out;
}

JsonObject JsonObject::object(std::string_view key) {
  return JsonObject(at(key), path_ + (path_.ends_with('/') ? "" : "/") + std::string(key));
}

std::vector<JsonObject> JsonObject::objects(std::string_view key) {
  const json& value = at(key);
  if (!value.is_array()) fail(key, "expected an array of objects, found " + describe(value));
  std::vector<JsonObject> out;
  const std::string base = path_ + (path_.ends_with('/') ? "" : "/") + std::string(key) + "/";
  for (const json& item : value) out.emplace_back(item, base + std::to_string(out.size()));
  return out;
}

void JsonObject::finish() const {
  for (const auto& item : value_->items()) {
    if (read_.contains(item.key())) continue;
    const std::vector<std::string> known(read_.begin(), read_.end());
    throw InputError(path_ + ": " + unknown_name_message("key", item.key(), known));
  }
}

JsonDocument::JsonDocument(std::unique_ptr<const json> value, std::string name)
    : value_(std::move(value)), name_(std::move(name)) {}
JsonDocument::~JsonDocument() = default;
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;

JsonObject JsonDocument::root() const {
  JsonObject root(*value_, name_ + ":/");
  if (root.has("schema")) root.string("schema");
  return root;
}

std::string JsonDocument::schema() const {
  return JsonObject(*value_, name_ + ":/").string("schema");
}

JsonDocument parse_any_json(std::string_view text, std::string name) {
  try {
    auto value = std::make_unique<json>(json::parse(text, DuplicateKeyCheck(name)));
    return JsonDocument(std::move(value), std::move(name));
  } catch (const json::parse_error& error) {
    const bool at_end = error.byte > text.size();
    throw InputError(name + ": not valid JSON: " +
                     (text.empty()
                          ? std::string("the file is empty")
                          : (at_end ? "the text ends too early at " : "unexpected text at ") +
                                place_of(text, error.byte)));
  } catch (const json::out_of_range& error) {
    throw InputError(name + ": a number is out of range: " + number_out_of_range(text));
  }
}

JsonDocument parse_json(std::string_view text, std::string name, std::string_view schema) {
  JsonDocument document = parse_any_json(text, std::move(name));
  check_schema(document, schema);
  return document;
}

JsonDocument read_json_file(const std::filesystem::path& file, std::string_view schema) {
  constexpr std::uintmax_t kLargestJson = std::uintmax_t{256} << 20;
  return parse_json(read_text_file(file, kLargestJson), file.string(), schema);
}

}  // namespace paceline
