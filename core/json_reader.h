// Strict reading of JSON: every message names file and path, what was found and what is allowed;
// unknown and duplicate keys are errors; non-finite numbers cannot occur.
//
//   JsonDocument document = read_json_file("links.json", "paceline.links/1");
//   JsonObject root = document.root();
//   BytesPerSecond rate = root.quantity<BytesPerSecond>("bandwidth");   // "450 GB/s"
//   root.finish();                                                      // unknown keys are errors
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/text_file.h"
#include "core/units_text.h"

namespace paceline {

// One JSON object being read. It remembers which keys were asked for; `finish()` refuses the rest.
class JsonObject {
 public:
  // Enough for the devices of any cluster, far from where an int wraps.
  static constexpr int kMostOfACount = 1'000'000'000;

  // `path` is "file.json:/results/3". Throws InputError if `value` is not an object.
  JsonObject(const nlohmann::json& value, std::string path);

  const std::string& path() const { return path_; }
  bool has(std::string_view key);
  std::vector<std::string> keys() const;

  std::string string(std::string_view key);
  std::string string_or(std::string_view key, std::string fallback);
  // One of `allowed`; otherwise the message suggests the nearest.
  std::string one_of(std::string_view key, std::span<const std::string> allowed);
  bool boolean(std::string_view key);
  bool boolean_or(std::string_view key, bool fallback);
  double number(std::string_view key);
  double number_or(std::string_view key, double fallback);
  double positive(std::string_view key);
  std::int64_t integer(std::string_view key);
  std::int64_t integer_or(std::string_view key, std::int64_t fallback);
  // A whole number from `least` to `most` that fits an int, such as a number of threads.
  int count(std::string_view key, int least = 0, int most = kMostOfACount);
  int count_or(std::string_view key, int fallback, int least = 0, int most = kMostOfACount);
  std::vector<double> numbers(std::string_view key);
  std::vector<std::int64_t> integers(std::string_view key);
  std::vector<std::string> strings(std::string_view key);

  JsonObject object(std::string_view key);
  // An array of objects.
  std::vector<JsonObject> objects(std::string_view key);
  // The raw value, marked as read; for free-form parts such as provenance.
  const nlohmann::json& raw(std::string_view key);

  // A quantity written with its unit, "450 GB/s".
  template <typename Q>
  Q quantity(std::string_view key) {
    const std::string text = string(key);
    try {
      return parse_quantity<Q>(text);
    } catch (const UsageError& error) {
      fail(key, error.what());
    }
  }

  // Throws InputError if a key was never read, naming it and the nearest key that was.
  void finish() const;
  // Throws InputError "<path>/<key>: <message>".
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;

 private:
  const nlohmann::json& at(std::string_view key);

  const nlohmann::json* value_;
  std::string path_;
  std::set<std::string, std::less<>> read_;
};

// A parsed file. The root object refers into it, so it must outlive its readers.
class JsonDocument {
 public:
  JsonDocument(std::unique_ptr<const nlohmann::json> value, std::string name);
  ~JsonDocument();
  JsonDocument(JsonDocument&&) noexcept;

  const nlohmann::json& value() const { return *value_; }
  const std::string& name() const { return name_; }
  // The root object with "schema" already read.
  JsonObject root() const;
  std::string schema() const;

 private:
  std::unique_ptr<const nlohmann::json> value_;
  std::string name_;
};

// Reads and parses; throws InputError if the file is missing, unreadable, larger than 256 MiB, not
// JSON (with line and column), holds a duplicate key, or does not have exactly this schema.
// A newer major version of the same kind is named as such.
JsonDocument read_json_file(const std::filesystem::path& file, std::string_view schema);
// The same for text in memory; `name` stands for the file in messages.
JsonDocument parse_json(std::string_view text, std::string name, std::string_view schema);
// Any schema, or none: for foreign formats.
JsonDocument parse_any_json(std::string_view text, std::string name);

}  // namespace paceline
