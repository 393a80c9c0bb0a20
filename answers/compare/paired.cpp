#include "answers/compare/paired.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/statistics.h"
#include "simulator/strategies/parts/constants.h"

namespace paceline {
namespace {

constexpr std::string_view kComputing = "computing";

bool same_device(const Experiment& a, const Experiment& b) {
  return a.device == b.device && a.device_given == b.device_given && a.threads == b.threads;
}

bool same_option(const Experiment& a, const Experiment& b, const char* key) {
  const auto of_a = a.options.find(key), of_b = b.options.find(key);
  if (of_a == a.options.end() || of_b == b.options.end())
    return of_a == a.options.end() && of_b == b.options.end();
  return of_a->second == of_b->second;
}

bool in_one_machine(const Experiment& e) {
  return e.devices_per_machine.value_or(e.devices) >= e.devices;
}

// Whether messages of both go over links of the same constants.
bool same_links(const Experiment& a, const Experiment& b) {
  // How many devices a machine of a cluster has is not always written down.
  const bool known = a.devices_per_machine && b.devices_per_machine;
  if ((a.cluster || a.topo) && !known && a.devices != b.devices) return false;
  if (in_one_machine(a) != in_one_machine(b)) return false;
  if (a.intra != b.intra || a.cluster != b.cluster || a.topo != b.topo) return false;
  return in_one_machine(a) ||
         (a.net == b.net && same_option(a, b, "transport") && same_option(a, b, "connections"));
}

const std::string& collectives_source(const Report& report) {
  static const std::string kNone;
  const auto found = std::ranges::find(report.origins, "communication", &OriginLine::what);
  return found == report.origins.end() ? kNone : found->source;
}

bool same_collectives(const Report& a, const Report& b) {
  if (!same_links(a.experiment, b.experiment)) return false;
  if (a.experiment.strategy == b.experiment.strategy) return true;
  return !collectives_source(a).empty() && collectives_source(a) == collectives_source(b);
}

bool measured(const Experiment& e) { return e.calibrate || e.profile; }

// A figure is of one network at one batch.
bool same_measurement(const Experiment& a, const Experiment& b) {
  return a.calibrate == b.calibrate && a.profile == b.profile && a.model == b.model &&
         a.batch == b.batch && a.seq == b.seq && a.precision == b.precision &&
         a.framework == b.framework && a.global_batch == b.global_batch &&
         a.grad_accumulation == b.grad_accumulation && same_device(a, b);
}

double common_computing(const Report& a, const Report& b) {
  if (measured(a.experiment) || measured(b.experiment))
    return same_measurement(a.experiment, b.experiment) ? 1 : 0;
  if (!a.computing_errors || !b.computing_errors) return 0;
  if (a.computing_errors == b.computing_errors) return 1;
  return correlation(*a.computing_errors, *b.computing_errors);
}

// An IntervalPart without its source.
struct PartOfTime {
  std::string_view what;
  double low = 0;
  double high = 0;
};

// The parts of ln(time), so that they make up the interval that is reported: one device has one,
// and a job that waits for its input hides some of what it has.
std::vector<PartOfTime> parts_of(const Report& report) {
  const Estimate& rate = report.throughput_samples_per_s;
  const double below = std::log(rate.p95 / rate.median), above = std::log(rate.median / rate.p05);
  std::vector<PartOfTime> out;
  double low = 0, high = 0;
  for (const IntervalPart& part : report.interval_parts) {
    out.push_back({part.what, part.low, part.high});
    low = std::hypot(low, part.low);
    high = std::hypot(high, part.high);
  }
  if (!(std::max(low, high) > 0)) return {{kComputing, below, above}};
  for (PartOfTime& part : out) {
    part.low *= low > 0 ? below / low : 0;
    part.high *= high > 0 ? above / high : 0;
  }
  return out;
}

// ln of the ratio of two times, below and above.
class RatioInterval {
 public:
  // One unknown of both at its 5 % and its 95 % quantile, or of one of them.
  void add(const PartOfTime& of, const PartOfTime& over, double scale) {
    const double at_low = scale * (over.low - of.low), at_high = scale * (of.high - over.high);
    low_ = std::hypot(low_, std::max({0.0, -at_low, -at_high}));
    high_ = std::hypot(high_, std::max({0.0, at_low, at_high}));
  }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_ = 0;
  double high_ = 0;
};

}  // namespace

PairedRates::PairedRates()
    : residual_share_(strategy_constant("interval.residual_common_share")),
      repeat_(normal_quantile(0.95) * std::sqrt(2.0) * strategy_constant("interval.repeat_sd")) {}

double PairedRates::common_share(std::string_view part, const Report& a, const Report& b) const {
  const Experiment& of_a = a.experiment;
  const Experiment& of_b = b.experiment;
  if (part == kComputing) return common_computing(a, b);
  if (!same_device(of_a, of_b)) return 0;
  if (part == "stragglers" || part == "overlap") return 1;
  if (part == "synchronization") return same_option(of_a, of_b, "sync_time") ? 1 : 0;
  if (part == "collectives") return same_collectives(a, b) ? 1 : 0;
  if (part == "links") return same_links(of_a, of_b) ? 1 : 0;
  if (of_a.framework != of_b.framework) return 0;
  if (part == "processors") return same_links(of_a, of_b) ? 1 : 0;
  if (part == "computing in a job" || part == "communication in a job") return residual_share_;
  return 0;
}

Estimate PairedRates::ratio(const Report& of, const Report& over) const {
  const double ratio = of.throughput_samples_per_s.median / over.throughput_samples_per_s.median;
  RatioInterval time;
  const PartOfTime none;
  std::vector<PartOfTime> others = parts_of(over);
  for (const PartOfTime& part : parts_of(of)) {
    const auto same = std::ranges::find(others, part.what, &PartOfTime::what);
    if (same == others.end()) {
      time.add(part, none, 1);
      continue;
    }
    const double common = common_share(part.what, of, over);
    time.add(part, *same, std::sqrt(common));
    time.add(part, none, std::sqrt(1 - common));
    time.add(none, *same, std::sqrt(1 - common));
    others.erase(same);
  }
  for (const PartOfTime& part : others) time.add(none, part, 1);
  time.add({"another run", repeat_, repeat_}, none, 1);
  return {ratio, ratio * std::exp(-time.high()), ratio * std::exp(time.low())};
}

bool holds_one(const Estimate& ratio) { return ratio.p05 <= 1 && 1 <= ratio.p95; }

}  // namespace paceline
