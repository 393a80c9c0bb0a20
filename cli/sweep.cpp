#include "cli/sweep.h"

#include "cli/arguments.h"
#include "core/error.h"

namespace paceline {
namespace {

constexpr std::size_t kMostValues = 4096;
constexpr std::int64_t kLargestValue = 1'000'000'000;  // of an option; its square fits 64 bits

void append_range(std::string_view what, std::string_view text, std::size_t dash,
                  std::int64_t largest, std::vector<std::int64_t>& out) {
  const std::size_t by = text.find_first_of("*+", dash);
  const std::string_view last_text = text.substr(dash + 1, by == text.npos ? by : by - dash - 1);
  const std::int64_t first = parse_count(what, text.substr(0, dash), 1, largest);
  const std::int64_t last = parse_count(what, last_text, 1, largest);
  const bool factor = by != text.npos && text[by] == '*';
  const std::int64_t step =
      by == text.npos ? 1 : parse_count(what, text.substr(by + 1), factor ? 2 : 1, largest);
  if (last < first) {
    throw UsageError(std::string(what) + " \"" + std::string(text) + "\" is an empty range");
  }
  for (std::int64_t value = first; value <= last; value = factor ? value * step : value + step) {
    out.push_back(value);
    if (out.size() > kMostValues) break;
  }
}

}  // namespace

std::vector<std::string> parse_names(std::string_view what, std::string_view text) {
  std::vector<std::string> out;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = text.find(',', start);
    const std::string_view part = text.substr(start, comma == text.npos ? comma : comma - start);
    if (part.empty()) {
      throw UsageError(std::string(what) + " \"" + std::string(text) + "\" has an empty element");
    }
    out.emplace_back(part);
    if (comma == text.npos) return out;
    start = comma + 1;
  }
}

std::vector<std::string> parse_values(std::string_view what, std::string_view text) {
  std::vector<std::string> out;
  for (const std::string& part : parse_names(what, text)) {
    // Digits, a dash, digits, then nothing but a step: other dashes belong to names.
    const std::size_t dash = part.find_first_not_of("0123456789");
    const bool range = dash != 0 && dash < part.size() - 1 && part[dash] == '-' &&
                       part.find_first_not_of("0123456789*+", dash + 1) == std::string::npos;
    if (!range) {
      out.push_back(part);
      continue;
    }
    for (const std::int64_t value : parse_counts(what, part, kLargestValue)) {
      out.push_back(std::to_string(value));
    }
  }
  return out;
}

std::vector<std::int64_t> parse_counts(std::string_view what, std::string_view text,
                                       std::int64_t largest) {
  std::vector<std::int64_t> out;
  for (const std::string& part : parse_names(what, text)) {
    const std::size_t dash = part.find('-', 1);
    if (dash == std::string::npos) {
      out.push_back(parse_count(what, part, 1, largest));
    } else {
      append_range(what, part, dash, largest, out);
    }
    if (out.size() > kMostValues) {
      throw UsageError(std::string(what) + " \"" + std::string(text) + "\" has more than " +
                       std::to_string(kMostValues) + " values");
    }
  }
  return out;
}

}  // namespace paceline
