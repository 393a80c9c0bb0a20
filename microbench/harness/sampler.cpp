#include "microbench/harness/sampler.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/error.h"
#include "core/statistics.h"

namespace paceline {
namespace {

constexpr int kMaxCallsPerSample = 1 << 20;

// How many calls reach `target`, from `calls` that took `elapsed`; at least twice as many.
int more_calls(int calls, Seconds elapsed, Seconds target) {
  const double factor = elapsed.si() > 0 ? std::clamp(1.2 * (target / elapsed), 2.0, 100.0) : 100.0;
  return static_cast<int>(std::min(std::ceil(calls * factor), double{kMaxCallsPerSample}));
}

}  // namespace

Clock steady_clock() {
  return [] {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return Seconds(std::chrono::duration<double>(now).count());
  };
}

std::string_view to_string(StoppedBy reason) {
  switch (reason) {
    case StoppedBy::kPrecision:
      return "precision";
    case StoppedBy::kSampleCount:
      return "sample count";
    case StoppedBy::kBudget:
      return "budget";
  }
  return "";
}

double rounded_sample(double value) {
  if (!(value > 0)) return value;
  const double scale = std::pow(10.0, 4 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

Timings take_samples(const std::function<void()>& run, const Clock& clock,
                     const SamplingLimits& limits) {
  const std::function<Seconds(int)> time_calls = [&](int calls) {
    const Seconds start = clock();
    for (int i = 0; i < calls; ++i) run();
    return clock() - start;
  };
  return take_samples(time_calls, clock, limits);
}

Timings take_samples(const std::function<Seconds(int)>& time_calls, const Clock& clock,
                     const SamplingLimits& limits) {
  const Seconds start = clock();
  time_calls(1);
  Timings out;
  out.warmup = 1;
  Seconds elapsed = time_calls(out.calls_per_sample);
  while (elapsed < limits.min_sample && out.calls_per_sample < kMaxCallsPerSample) {
    out.warmup += out.calls_per_sample;
    out.calls_per_sample = more_calls(out.calls_per_sample, elapsed, limits.min_sample);
    elapsed = time_calls(out.calls_per_sample);
  }
  while (true) {
    if (!(elapsed > Seconds(0))) throw MeasurementError("the clock did not advance");
    out.seconds.push_back(rounded_sample(elapsed.si() / out.calls_per_sample));
    const int count = static_cast<int>(out.seconds.size());
    if (count >= limits.min_samples) {
      if (relative_confidence_half_width(out.seconds) <= limits.relative_half_width) {
        out.stopped_by = StoppedBy::kPrecision;
        return out;
      }
      if (count >= limits.max_samples) {
        out.stopped_by = StoppedBy::kSampleCount;
        return out;
      }
      if (clock() - start >= limits.budget) {
        out.stopped_by = StoppedBy::kBudget;
        return out;
      }
    }
    elapsed = time_calls(out.calls_per_sample);
  }
}

}  // namespace paceline
