#include "core/json_parse.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
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
// silently overwrite. As a reader of events it costs half of what a callback of the parser does.
class StrictBuilder : public nlohmann::detail::json_sax_dom_parser<json> {
 public:
  using Base = nlohmann::detail::json_sax_dom_parser<json>;

  StrictBuilder(json& document, const std::string& name) : Base(document), name_(name) {}

  bool start_object(std::size_t size) {
    open_.emplace_back();
    return Base::start_object(size);
  }
  bool end_object() {
    open_.pop_back();
    return Base::end_object();
  }
  bool key(std::string& text) {
    if (!open_.back().insert(text).second) {
      throw InputError(name_ + ": the key \"" + text + "\" occurs twice in one object");
    }
    return Base::key(text);
  }

 private:
  const std::string& name_;
  std::vector<std::set<std::string>> open_;
};

}  // namespace

json parse_strictly(std::string_view text, const std::string& name) {
  try {
    json document;
    StrictBuilder builder(document, name);
    json::sax_parse(text, &builder);
    return document;
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

}  // namespace paceline
