#include "traces/import/trace_events.h"

#include <charconv>
#include <cmath>

#include "core/error.h"

namespace paceline {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw InputError("expected a time, found \"" + std::string(text) + "\"");
}

// With an exponent, or otherwise out of the ordinary.
std::int64_t parse_by_double(std::string_view text, std::int64_t unit_ns) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(text);
  const double ns = value * static_cast<double>(unit_ns);
  if (!(std::abs(ns) < 9e18)) refuse(text);
  return std::llround(ns);
}

}  // namespace

std::int64_t parse_nanoseconds(std::string_view text, std::int64_t unit_ns) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (error != std::errc() || end != whole.data() + whole.size()) {
    return parse_by_double(text, unit_ns);
  }
  if (std::abs(value) > INT64_MAX / unit_ns) refuse(text);
  std::int64_t ns = value * unit_ns;
  if (point == std::string_view::npos) return ns;
  const bool negative = whole.starts_with('-');
  std::int64_t digit_ns = unit_ns;
  for (const char c : text.substr(point + 1)) {
    if (c < '0' || c > '9') return parse_by_double(text, unit_ns);
    digit_ns /= 10;
    ns += (negative ? -1 : 1) * (c - '0') * digit_ns;
  }
  return ns;
}

}  // namespace paceline
