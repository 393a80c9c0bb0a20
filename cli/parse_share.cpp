#include "cli/parse_share.h"

#include <charconv>
#include <cmath>

#include "core/error.h"

namespace paceline {

double parse_share(std::string_view what, const std::string& text, double largest) {
  std::string_view number = text;
  const bool percent = number.ends_with('%');
  if (percent) number.remove_suffix(1);
  while (number.ends_with(' ')) number.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number = error == std::errc() && end == number.data() + number.size();
  if (!is_number || !std::isfinite(value) || value <= 0 || value > largest) {
    throw UsageError(std::string(what) + " \"" + text + "\" is not a positive share such as 20%");
  }
  if (percent) return value / 100;
  if (value <= 1) return value;
  throw UsageError(std::string(what) + " \"" + text + "\": write " + text + "% or a share up to 1");
}

}  // namespace paceline
