#include "answers/check/measured_rate.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/trimmed.h"

namespace paceline {
namespace {

struct Spelling {
  std::string_view text;
  RateUnit unit;
};

constexpr std::array<Spelling, 13> kSpellings = {{{"samples/s", RateUnit::kSamples},
                                                  {"sample/s", RateUnit::kSamples},
                                                  {"images/s", RateUnit::kSamples},
                                                  {"images/sec", RateUnit::kSamples},
                                                  {"img/s", RateUnit::kSamples},
                                                  {"img/sec", RateUnit::kSamples},
                                                  {"sequences/s", RateUnit::kSamples},
                                                  {"tokens/s", RateUnit::kTokens},
                                                  {"tok/s", RateUnit::kTokens},
                                                  {"it/s", RateUnit::kIterations},
                                                  {"iterations/s", RateUnit::kIterations},
                                                  {"steps/s", RateUnit::kIterations},
                                                  {"updates/s", RateUnit::kIterations}}};
constexpr std::array<std::string_view, 3> kTimePerIteration = {"s/it", "s/step", "s/iteration"};
constexpr std::array<std::string_view, 4> kPerDevice = {"/gpu", "/GPU", "/device", "/rank"};

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view why) {
  throw UsageError(std::string(what) + " \"" + std::string(text) + "\" " + std::string(why) +
                   "; write for example \"546.9 samples/s\", \"9600 tokens/s/gpu\", \"2.7 it/s\" "
                   "or \"0.22 s\" (one iteration)");
}

// Rates without meaning; within these, products with batches and devices are numbers.
constexpr double kSlowest = 1e-18, kFastest = 1e18;

MeasuredRate read_rate(std::string_view what, std::string_view text) {
  std::string_view rest = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || !std::isfinite(value)) refuse(what, text, "is not a number");
  if (value <= 0) refuse(what, text, "is not positive");
  rest = trimmed(rest.substr(static_cast<std::size_t>(end - rest.data())));
  MeasuredRate rate{value};
  for (const std::string_view suffix : kPerDevice) {
    if (!rest.ends_with(suffix)) continue;
    rate.per_device = true;
    rest = trimmed(rest.substr(0, rest.size() - suffix.size()));
  }
  for (const Spelling& spelling : kSpellings) {
    if (rest != spelling.text) continue;
    rate.unit = spelling.unit;
    return rate;
  }
  rate.unit = RateUnit::kIterations;
  for (const std::string_view spelling : kTimePerIteration) {
    if (rest != spelling) continue;
    rate.per_second = 1 / value;
    return rate;
  }
  if (rest.empty()) refuse(what, text, "has no unit");
  for (const auto& [unit, seconds] :
       {std::pair{"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}}) {
    if (rest != unit) continue;
    rate.per_second = 1 / (value * seconds);
    return rate;
  }
  refuse(what, text, "has an unknown unit");
}

}  // namespace

std::string_view to_string(RateUnit unit) {
  switch (unit) {
    case RateUnit::kSamples:
      return "samples/s";
    case RateUnit::kTokens:
      return "tokens/s";
    case RateUnit::kIterations:
      return "it/s";
  }
  PACELINE_ASSERT(false, "every unit has a name");
  return "";
}

MeasuredRate parse_measured_rate(std::string_view what, std::string_view text) {
  const MeasuredRate rate = read_rate(what, text);
  if (rate.per_second >= kSlowest && rate.per_second <= kFastest) return rate;
  refuse(what, text, "is not within 1e-18 and 1e18 per second");
}

double samples_per_second(const MeasuredRate& rate, std::int64_t devices,
                          std::int64_t samples_per_iteration,
                          std::optional<std::int64_t> tokens_per_sample) {
  const double factor = rate.per_device ? static_cast<double>(devices) : 1.0;
  switch (rate.unit) {
    case RateUnit::kSamples:
      return factor * rate.per_second;
    case RateUnit::kTokens:
      if (!tokens_per_sample) {
        throw UsageError("tokens/s: this workload has no tokens; give samples/s");
      }
      return factor * rate.per_second / static_cast<double>(*tokens_per_sample);
    case RateUnit::kIterations:
      return rate.per_second * static_cast<double>(samples_per_iteration);
  }
  PACELINE_ASSERT(false, "every unit has a meaning");
  return 0;
}

}  // namespace paceline
