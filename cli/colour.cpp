#include "cli/colour.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "core/error.h"

namespace paceline {
namespace {

struct Paint {
  std::string_view words;
  std::string_view code;
  bool at_line_start = true;  // only spaces before it
};
constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kReset = "\033[0m";
constexpr std::array<Paint, 6> kPaints = {{{"warning", kYellow},
                                           {"not checked", kYellow},
                                           {"impossible", kRed},
                                           {"implausible", kYellow},
                                           {"plausible", kGreen},
                                           {"DOES NOT FIT", kRed, false}}};

std::string painted_line(std::string_view line) {
  for (const Paint& paint : kPaints) {
    const std::size_t first = line.find_first_not_of(' ');
    const std::size_t at = paint.at_line_start ? first : line.find(paint.words);
    if (at == std::string_view::npos || !line.substr(at).starts_with(paint.words)) continue;
    const std::string_view after = line.substr(at + paint.words.size());
    return std::string(line.substr(0, at)) + std::string(paint.code) + std::string(paint.words) +
           std::string(kReset) + std::string(after);
  }
  return std::string(line);
}

}  // namespace

bool is_on_terminal(const Arguments& arguments) {
  return !arguments.has("o") && &arguments.out() == &std::cout && isatty(STDOUT_FILENO) == 1;
}

bool wants_colour(const Arguments& arguments) {
  const std::string choice = arguments.text_or("color", "auto");
  if (choice == "always") return true;
  if (choice == "never") return false;
  if (choice != "auto") {
    throw UsageError("--color \"" + choice + "\" is not auto, always or never");
  }
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  return is_on_terminal(arguments);
}

std::string coloured(const std::string& text) {
  std::string out;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    out += painted_line(std::string_view(text).substr(start, end - start));
    if (end < text.size()) out += '\n';
    start = end + 1;
  }
  return out;
}

}  // namespace paceline
