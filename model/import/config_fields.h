// The fields of a configuration written for another program: unknown ones are that program's
// business, absent ones are either an error or an assumption that is reported.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_reader.h"

namespace paceline {

class ConfigFields {
 public:
  explicit ConfigFields(JsonObject root) : root_(std::move(root)) {}

  bool has(std::string_view key);  // present and not null
  // A size: an integer of at least 1. Throws InputError if absent.
  std::int64_t size(std::string_view key);
  // A number of layers: from 1 to 1000. Throws InputError if absent.
  std::int64_t layers(std::string_view key);
  // `source` says where the assumed value comes from.
  std::int64_t size_or(std::string_view key, std::int64_t assumed, const std::string& source);
  double probability_or(std::string_view key, double assumed);
  bool flag_or(std::string_view key, bool assumed);
  std::string text(std::string_view key);
  std::string text_or(std::string_view key, const std::string& assumed);
  // Throws InputError unless the field is absent or has this value.
  void require_flag(std::string_view key, bool only);
  void require_text(std::string_view key, const std::string& only);
  // The one entry of "architectures", out of `known`; the first of them, as an assumption, if the
  // field is absent. Throws InputError for none, several, or another.
  void read_architecture(const std::vector<std::string>& known);
  const std::string& architecture() const { return architecture_; }

  void assume(std::string line) { assumptions_.push_back(std::move(line)); }
  // The same before all others, which a screen may cut.
  void assume_first(std::string line) {
    assumptions_.insert(assumptions_.begin(), std::move(line));
  }
  // Throws InputError "<file>:/<key>: <message>".
  [[noreturn]] void fail(std::string_view key, const std::string& message) const {
    root_.fail(key, message);
  }
  const std::vector<std::string>& assumptions() const { return assumptions_; }
  // Fields with a value that nobody has asked for yet, in order.
  std::vector<std::string> unread() const;
  const nlohmann::json& raw(std::string_view key) { return root_.raw(key); }

 private:
  void assume_value(std::string_view key, const std::string& value, const std::string& source);

  JsonObject root_;
  std::set<std::string, std::less<>> asked_;
  std::string architecture_;
  std::vector<std::string> assumptions_;
};

}  // namespace paceline
