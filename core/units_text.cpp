#include "core/units_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

#include "core/error.h"
#include "core/trimmed.h"

namespace paceline {
namespace {

struct Prefix {
  std::string_view text;
  double factor;
};

// Longest first, so that "Ki" is not read as "K".
constexpr std::array<Prefix, 11> kPrefixes = {{{"Ki", 0x1p10},
                                               {"Mi", 0x1p20},
                                               {"Gi", 0x1p30},
                                               {"Ti", 0x1p40},
                                               {"k", 1e3},
                                               {"K", 1e3},
                                               {"M", 1e6},
                                               {"G", 1e9},
                                               {"T", 1e12},
                                               {"P", 1e15},
                                               {"", 1.0}}};

struct Unit {
  std::string_view text;
  double factor;
};

// A family of units that share a dimension. `prefixed` says whether k, M, G... may stand before.
struct UnitFamily {
  std::string_view what;
  std::span<const Unit> units;
  bool prefixed;
  std::string_view allowed;
};

constexpr Unit kTimeUnits[] = {{"ps", 1e-12},  {"ns", 1e-9},     {"us", 1e-6},  {"\u00b5s", 1e-6},
                               {"ms", 1e-3},   {"s", 1.0},       {"min", 60.0}, {"h", 3600.0},
                               {"d", 86400.0}, {"days", 86400.0}};
constexpr Unit kDataUnits[] = {{"B", 1.0}, {"bytes", 1.0}, {"b", 0.125}, {"bit", 0.125}};
constexpr Unit kDataRateUnits[] = {
    {"B/s", 1.0}, {"b/s", 0.125}, {"bit/s", 0.125}, {"bps", 0.125}, {"Bps", 1.0}};
constexpr Unit kWorkRateUnits[] = {{"FLOP/s", 1.0}, {"FLOPS", 1.0}, {"FLOPs/s", 1.0}};
constexpr Unit kSampleRateUnits[] = {
    {"samples/s", 1.0}, {"images/s", 1.0}, {"img/s", 1.0}, {"sequences/s", 1.0}};
constexpr Unit kFrequencyUnits[] = {{"Hz", 1.0}};

constexpr UnitFamily kTime{"time", kTimeUnits, false, "ps, ns, us, ms, s, min, h, d"};
constexpr UnitFamily kData{"size", kDataUnits, true, "B, kB, MB, GB, TB, KiB, MiB, GiB, Gb"};
constexpr UnitFamily kDataRate{"bandwidth", kDataRateUnits, true, "B/s, GB/s, GiB/s, Gb/s"};
constexpr UnitFamily kWorkRate{"compute rate", kWorkRateUnits, true, "GFLOP/s, TFLOP/s, PFLOP/s"};
constexpr UnitFamily kSampleRate{"rate", kSampleRateUnits, false, "samples/s, images/s"};
constexpr UnitFamily kFrequency{"frequency", kFrequencyUnits, true, "Hz, MHz, GHz"};

std::optional<double> unit_factor(std::string_view unit, const UnitFamily& family) {
  for (const Unit& known : family.units) {
    if (!unit.ends_with(known.text)) continue;
    const std::string_view before = unit.substr(0, unit.size() - known.text.size());
    if (before.empty()) return known.factor;
    if (!family.prefixed) continue;
    for (const Prefix& prefix : kPrefixes) {
      if (before == prefix.text) return prefix.factor * known.factor;
    }
  }
  return std::nullopt;
}

// Reads a finite number at the front of `text` and removes it.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

double parse(std::string_view text, const UnitFamily& family) {
  const std::string quoted = "\"" + std::string(text) + "\"";
  std::string_view rest = trimmed(text);
  const std::optional<double> number = take_number(rest);
  if (!number) {
    throw UsageError(std::string(family.what) + " " + quoted +
                     " does not start with a number; write for example \"4 " +
                     std::string(family.units.back().text) + "\"");
  }
  rest = trimmed(rest);
  if (rest.empty()) {
    throw UsageError(std::string(family.what) + " " + quoted + " has no unit; use " +
                     std::string(family.allowed));
  }
  const std::optional<double> factor = unit_factor(rest, family);
  if (!factor) {
    throw UsageError(std::string(family.what) + " " + quoted + " has the unknown unit \"" +
                     std::string(rest) + "\"; use " + std::string(family.allowed));
  }
  if (*number < 0) {
    throw UsageError(std::string(family.what) + " " + quoted + " is negative");
  }
  return *number * *factor;
}

std::string scaled(double value, std::string_view unit, std::span<const Prefix> prefixes) {
  for (const Prefix& prefix : prefixes) {
    if (std::abs(value) >= prefix.factor) {
      return significant(value / prefix.factor) + " " + std::string(prefix.text) +
             std::string(unit);
    }
  }
  return significant(value) + " " + std::string(unit);
}

constexpr Prefix kDecimal[] = {{"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}};
constexpr Prefix kSmall[] = {{"", 1.0}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12}};

}  // namespace

Seconds parse_seconds(std::string_view text) { return Seconds(parse(text, kTime)); }
Bytes parse_bytes(std::string_view text) { return Bytes(parse(text, kData)); }
BytesPerSecond parse_bytes_per_second(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (const std::size_t times = rest.find('x'); times != std::string_view::npos && times > 0) {
    std::string_view count_text = rest.substr(0, times);
    const std::optional<double> count = take_number(count_text);
    if (count && count_text.empty() && *count >= 1) {
      return *count * BytesPerSecond(parse(rest.substr(times + 1), kDataRate));
    }
  }
  return BytesPerSecond(parse(text, kDataRate));
}
FlopsPerSecond parse_flops_per_second(std::string_view text) {
  return FlopsPerSecond(parse(text, kWorkRate));
}
SamplesPerSecond parse_samples_per_second(std::string_view text) {
  return SamplesPerSecond(parse(text, kSampleRate));
}
Hertz parse_hertz(std::string_view text) { return Hertz(parse(text, kFrequency)); }

template <>
Seconds parse_quantity(std::string_view text) {
  return parse_seconds(text);
}
template <>
Bytes parse_quantity(std::string_view text) {
  return parse_bytes(text);
}
template <>
BytesPerSecond parse_quantity(std::string_view text) {
  return parse_bytes_per_second(text);
}
template <>
FlopsPerSecond parse_quantity(std::string_view text) {
  return parse_flops_per_second(text);
}
template <>
SamplesPerSecond parse_quantity(std::string_view text) {
  return parse_samples_per_second(text);
}
template <>
Hertz parse_quantity(std::string_view text) {
  return parse_hertz(text);
}

std::string significant(double value, int digits) {
  if (value == 0) return "0";
  const int before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  std::array<char, 64> buffer{};
  if (before_point > 7 || before_point < -3) {
    std::snprintf(buffer.data(), buffer.size(), "%.*e", digits - 1, value);
  } else {
    std::snprintf(buffer.data(), buffer.size(), "%.*f", std::max(0, digits - before_point), value);
  }
  return buffer.data();
}

std::string to_text(Seconds value) {
  if (value.si() >= 86400) return significant(value.si() / 86400) + " d";
  if (value.si() >= 3600) return significant(value.si() / 3600) + " h";
  if (value.si() >= 120) return significant(value.si() / 60) + " min";
  return scaled(value.si(), "s", kSmall);
}
std::string to_text(Bytes value) { return scaled(value.si(), "B", kDecimal); }
std::string to_text(BytesPerSecond value) { return scaled(value.si(), "B/s", kDecimal); }
std::string to_text(Flops value) { return scaled(value.si(), "FLOP", kDecimal); }
std::string to_text(FlopsPerSecond value) { return scaled(value.si(), "FLOP/s", kDecimal); }
std::string to_text(SamplesPerSecond value) { return significant(value.si()) + " samples/s"; }
std::string to_text(Hertz value) { return scaled(value.si(), "Hz", kDecimal); }

}  // namespace paceline
