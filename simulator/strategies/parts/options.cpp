#include "simulator/strategies/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/names.h"
#include "core/units_text.h"

namespace paceline {
namespace {

double parse_number(const std::string& what, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !std::isfinite(value) || value <= 0) {
    throw UsageError(what + ": expected a positive number, found \"" + std::string(text) + "\"");
  }
  return value;
}

int parse_whole(const std::string& what, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || value < 1 || value > 1'000'000'000) {
    throw UsageError(what + ": expected a whole number from 1 to 1000000000, found \"" +
                     std::string(text) + "\"");
  }
  return value;
}

void check_choice(const std::string& what, const std::vector<std::string>& choices,
                  const std::string& value) {
  if (std::ranges::find(choices, value) != choices.end()) return;
  throw UsageError(unknown_name_message("value of " + what, value, choices));
}

template <typename Q>
void check_positive(const std::string& what, const std::string& text, bool zero_allowed) {
  const Q value = parse_quantity<Q>(text);
  if (value.si() > 0 || (zero_allowed && value.si() == 0)) return;
  throw UsageError(what + ": expected a positive amount, found \"" + text + "\"");
}

void check_value(const std::string& what, const StrategyOption& option, const std::string& value) {
  switch (option.kind) {
    case OptionKind::kChoice:
      return check_choice(what, option.choices, value);
    case OptionKind::kSwitch:
      return check_choice(what, {"on", "off"}, value);
    case OptionKind::kCount:
      parse_whole(what, value);
      return;
    case OptionKind::kNumber:
      parse_number(what, value);
      return;
    case OptionKind::kBytes:
      return check_positive<Bytes>(what, value, true);
    case OptionKind::kSeconds:
      return check_positive<Seconds>(what, value, true);
  }
}

std::string joined(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& value : values) out += (out.empty() ? "" : " or ") + value;
  return out;
}

}  // namespace

StrategyOptions::StrategyOptions(const std::string& strategy,
                                 const std::vector<StrategyOption>& known,
                                 const std::map<std::string, std::string>& set) {
  for (const StrategyOption& option : known) {
    const auto given = set.find(option.name);
    set_[option.name] = given != set.end();
    std::string& value = values_[option.name] = option.fallback;
    if (given == set.end()) continue;
    value = given->second;
    check_value("--set " + option.name + " of " + strategy, option, value);
  }
  for (const StrategyOption& option : known) {
    if (option.only_with.empty() || !set_[option.name]) continue;
    const std::string& other = text(option.only_with);
    if (std::ranges::find(option.only_values, other) != option.only_values.end()) continue;
    throw UsageError("--set " + option.name + " has no effect with " + option.only_with + "=" +
                     (other.empty() ? "(unset)" : other) + "; it needs " + option.only_with + "=" +
                     joined(option.only_values));
  }
}

const std::string& StrategyOptions::text(std::string_view name) const {
  const auto value = values_.find(name);
  PACELINE_ASSERT(value != values_.end(), "a strategy reads the options it declares");
  return value->second;
}

bool StrategyOptions::was_set(std::string_view name) const {
  const auto value = set_.find(name);
  return value != set_.end() && value->second;
}

int StrategyOptions::count(std::string_view name) const {
  return parse_whole(std::string(name), text(name));
}
double StrategyOptions::number(std::string_view name) const {
  return parse_number(std::string(name), text(name));
}
Bytes StrategyOptions::bytes(std::string_view name) const {
  return parse_quantity<Bytes>(text(name));
}
Seconds StrategyOptions::seconds(std::string_view name) const {
  return parse_quantity<Seconds>(text(name));
}

}  // namespace paceline
