#include "core/json_parse.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/error.h"

namespace paceline {
namespace {

using nlohmann::json;

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

// Builds the document and refuses a key that occurs twice in one object, which a plain parse would
// silently overwrite.
class StrictBuilder final : public json::json_sax_t {
 public:
  // Both must outlive this.
  StrictBuilder(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  json take() { return std::move(document_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(json::number_integer_t value) override { return add(value); }
  bool number_unsigned(json::number_unsigned_t value) override { return add(value); }
  bool number_float(json::number_float_t value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(json::binary_t& value) override { return add(json::binary(std::move(value))); }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& text) override {
    const auto [member, added] = open_.back()->emplace(text, nullptr);
    if (!added) throw InputError(name_ + ": the key \"" + text + "\" occurs twice in one object");
    member_ = &*member;
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const json::exception& error) override {
    if (dynamic_cast<const json::out_of_range*>(&error) != nullptr) {
      throw InputError(name_ + ": a number is out of range: " + number_out_of_range(text_));
    }
    const bool at_end = byte > text_.size();
    throw InputError(name_ + ": not valid JSON: " +
                     (text_.empty()
                          ? std::string("the file is empty")
                          : (at_end ? "the text ends too early at " : "unexpected text at ") +
                                place_of(text_, byte)));
  }

 private:
  // Where the next value goes: into the open array, the member whose key was read, or the whole.
  json& place(json value) {
    if (open_.empty()) return document_ = std::move(value);
    json& parent = *open_.back();
    if (!parent.is_array()) return *member_ = std::move(value);
    parent.push_back(std::move(value));
    return parent.back();
  }
  bool add(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json value) {
    open_.push_back(&place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  json document_;
  std::vector<json*> open_;  // objects and arrays around the next value; none of them moves
  json* member_ = nullptr;   // of the innermost open object
};

}  // namespace

json parse_strictly(std::string_view text, const std::string& name) {
  StrictBuilder builder(text, name);
  json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace paceline
