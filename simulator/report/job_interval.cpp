#include "simulator/report/job_interval.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/statistics.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr double kNoEffect = 1e-9;  // of ln(time)

constexpr const char* kComputing = "computing";

class Parts {
 public:
  Parts(double time, const TimeUnder& time_under) : time_(time), time_under_(time_under) {}

  void add(const std::string& what, const std::string& source, const JobConditions& shorter,
           const JobConditions& longer) {
    const double low = std::log(time_ / under(shorter));
    const double high = std::log(under(longer) / time_);
    // Either end may move the time the other way where a strategy plans anew.
    IntervalPart part{what, source, std::max({low, -high, 0.0}), std::max({high, -low, 0.0})};
    if (std::max(part.low, part.high) > kNoEffect) parts_.push_back(std::move(part));
  }
  std::vector<IntervalPart> take() { return std::move(parts_); }

 private:
  double under(const JobConditions& conditions) const {
    return conditions == JobConditions() ? time_ : time_under_(conditions);
  }

  double time_;
  const TimeUnder& time_under_;
  std::vector<IntervalPart> parts_;
};

using Factor = double JobConditions::*;

JobConditions with(Factor factor, double value) {
  JobConditions conditions;
  conditions.*factor = value;
  return conditions;
}

void add_factor(Parts& parts, const std::string& what, const std::string& source, Factor factor,
                double low, double high) {
  if (low == 0 && high == 0) return;
  parts.add(what, source, with(factor, std::exp(low)), with(factor, std::exp(high)));
}

}  // namespace

double rounding_sd(const std::string& figure) {
  double value = 0;
  const char* const end = figure.data() + figure.size();
  const auto [rest, error] = std::from_chars(figure.data(), end, value);
  if (error != std::errc() || !(value > 0)) return 0;
  const std::string number(figure.data(), rest);
  const std::size_t exponent_at = std::min(number.find_first_of("eE"), number.size());
  const std::size_t point = number.find('.');
  double decimals = 0;
  if (point < exponent_at) decimals = static_cast<double>(exponent_at - point - 1);
  double exponent = 0;
  if (exponent_at < number.size()) exponent = std::stod(number.substr(exponent_at + 1));
  return std::pow(10.0, exponent - decimals) / (value * std::sqrt(12.0));
}

Seconds stated_time(const std::string& figure, double samples) {
  constexpr Seconds kShortest{1e-9}, kLongest{86400};
  const bool is_rate = figure.find("/s") != std::string::npos;
  const Seconds time =
      is_rate ? Seconds(samples / parse_samples_per_second(figure).si()) : parse_seconds(figure);
  if (time >= kShortest && time <= kLongest) return time;
  throw UsageError("--calibrate \"" + figure +
                   "\": expected a positive rate or time, an iteration of 1 ns to 1 d");
}

std::vector<IntervalPart> interval_parts(const JobKnowledge& known, double time,
                                         const TimeUnder& time_under) {
  const double z = normal_quantile(0.95);
  Parts parts(time, time_under);
  add_factor(parts, kComputing, known.computing_source, &JobConditions::computing,
             known.computing_low, known.computing_high);
  add_factor(parts, "stragglers", "spread of the iterations of one device, the slowest of all",
             &JobConditions::computing, 0, known.stragglers);
  if (known.measured_synchronization) {
    add_factor(parts, "synchronization", "digits of the measured time, and another run",
               &JobConditions::communication, -z * known.synchronization_sd,
               z * known.synchronization_sd);
    return parts.take();
  }
  if (known.ranks < 2) return parts.take();
  parts.add("collectives", "fits and tables of the communication library",
            with(&JobConditions::messages, -z), with(&JobConditions::messages, z));
  parts.add("links", "prior of measured and of assumed links", with(&JobConditions::links, -z),
            with(&JobConditions::links, z));
  parts.add("processors", "prior of additions in host memory and of server processes",
            with(&JobConditions::processors, -z), with(&JobConditions::processors, z));
  parts.add("overlap", "spread of published slow-downs beside collectives",
            with(&JobConditions::contention, -z), with(&JobConditions::contention, z));
  const JobResiduals& jobs = known.residuals;
  add_factor(parts, "computing in a job", "residuals of published jobs", &JobConditions::computing,
             jobs.computing.low, jobs.computing.high);
  add_factor(parts, "communication in a job", "residuals of published jobs",
             &JobConditions::communication, jobs.communication.low, jobs.communication.high);
  return parts.take();
}

std::optional<std::string> wide_interval(const Estimate& estimate,
                                         const std::vector<IntervalPart>& parts,
                                         const std::string& narrowing) {
  constexpr double kWide = 1.5;
  if (estimate.p95 <= kWide * estimate.p05) return std::nullopt;
  std::string out = "the interval is wide";
  const auto widest = std::ranges::max_element(
      parts, {}, [](const IntervalPart& part) { return part.low + part.high; });
  if (widest != parts.end()) {
    out += ", most of all for " + widest->what + " (" + widest->source + ")";
    if (widest->what != kComputing) return out;
  }
  return out + ": " + narrowing;
}

Estimate with_interval(double time, const std::vector<IntervalPart>& parts) {
  double low = 0, high = 0;
  for (const IntervalPart& part : parts) {
    low = std::hypot(low, part.low);
    high = std::hypot(high, part.high);
  }
  return {time, time * std::exp(-low), time * std::exp(high)};
}

}  // namespace paceline
