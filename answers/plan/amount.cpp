#include "answers/plan/amount.h"

#include <charconv>
#include <cmath>
#include <string>

#include "core/error.h"

namespace paceline {

double parse_amount(std::string_view what, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  double factor = 0;
  if (suffix.empty()) factor = 1;
  if (suffix == "k") factor = 1e3;
  if (suffix == "M") factor = 1e6;
  if (suffix == "B" || suffix == "G") factor = 1e9;
  if (suffix == "T") factor = 1e12;
  const double amount = value * factor;
  const bool whole = std::isfinite(amount) && amount >= 1 && amount <= 1e18 &&
                     std::abs(amount - std::round(amount)) < 1e-6 * amount;
  if (error != std::errc() || factor == 0 || !whole) {
    throw UsageError(std::string(what) + " \"" + std::string(text) +
                     "\" is not a number such as 50000, 1.28M, 400B or 1T");
  }
  return std::round(amount);
}

}  // namespace paceline
