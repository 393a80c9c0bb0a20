#include "calibration/observations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/error.h"
#include "core/statistics.h"
#include "simulator/device/kernel_of.h"

namespace paceline {
namespace {

bool is_usable(const Measurement& m) {
  return !m.skipped && m.result_checked && m.accepted_rounds() > 0;
}

// ln(1 + spread) that nine in ten results with several rounds stay below; 0 if there are none.
double usual_noise(const MeasurementSet& set) {
  std::vector<double> noise;
  for (const Measurement& m : set.results) {
    if (is_usable(m) && m.accepted_rounds() > 1) noise.push_back(std::log1p(m.spread()));
  }
  return noise.empty() ? 0 : quantile(noise, 0.9);
}

bool is_cold(const Measurement& m) {
  const std::string cache = m.text("cache");
  if (cache == "cold" || cache == "warm") return cache == "cold";
  throw InputError("measurement of " + m.benchmark + " (" + to_string(m.axes) +
                   "): axis cache is \"" + cache + "\"; allowed: cold, warm");
}

std::string decade(double value) {
  return std::to_string(static_cast<int>(std::floor(std::log10(std::max(value, 1.0)))));
}

std::string power_of_two(double value) {
  return std::to_string(static_cast<int>(std::floor(std::log2(std::max(value, 1.0)))));
}

struct GroupOf {
  std::string operator()(const GemmShape& s) const {
    constexpr std::int64_t kThin = 64;
    const bool thin = std::min({s.m, s.n, s.k}) < kThin;
    return std::string(s.trans_a ? "T" : "N") + (s.trans_b ? "T" : "N") + " 1e" +
           decade(kernel_flops(s).si()) + (thin ? " thin" : "");
  }
  std::string operator()(const ConvShape& s) const {
    return std::to_string(s.r) + "x" + std::to_string(s.s) + " s" + std::to_string(s.stride_h) +
           " w2^" + power_of_two(static_cast<double>(s.w));
  }
  template <typename Other>
  std::string operator()(const Other& s) const {
    return "1e" + decade(kernel_bytes(s, Precision::kFp32).si());
  }
};

}  // namespace

std::string group_of(const Kernel& kernel, const ExecutionContext& context) {
  return std::visit(GroupOf{}, kernel.shape) + " t" + std::to_string(context.threads);
}

std::vector<Observation> observations_of(const MeasurementSet& set, const std::string& benchmark) {
  const double single_round = usual_noise(set);
  std::vector<Observation> out;
  for (const Measurement& m : set.results) {
    if (m.benchmark != benchmark || !is_usable(m)) continue;
    const auto kernel = kernel_of(m);
    if (!kernel) continue;
    Observation o;
    o.kernel = *kernel;
    o.context = context_of(m);
    if (is_cold(m)) o.context.reuse_distance = Bytes(std::numeric_limits<double>::infinity());
    o.measured = m.value();
    o.noise = m.accepted_rounds() > 1 ? std::log1p(m.spread()) / 2 : single_round;
    o.group = group_of(*kernel, o.context);
    out.push_back(std::move(o));
  }
  return out;
}

std::vector<std::string> measured_benchmarks(const MeasurementSet& set) {
  std::set<std::string> names;
  for (const Measurement& m : set.results) {
    if (is_usable(m)) names.insert(m.benchmark);
  }
  return {names.begin(), names.end()};
}

}  // namespace paceline
