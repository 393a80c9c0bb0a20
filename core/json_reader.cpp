#include "core/json_reader.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/json_parse.h"
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
  auto value = std::make_unique<json>(parse_strictly(text, name));
  return JsonDocument(std::move(value), std::move(name));
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
