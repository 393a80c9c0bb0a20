// Takes timing samples of one kernel until they are precise enough.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace paceline {

// Time since an arbitrary origin. Injected, so that the harness is tested with numbers.
using Clock = std::function<Seconds()>;
Clock steady_clock();

struct SamplingLimits {
  int min_samples = 3;
  int max_samples = 12;
  // No further sample starts once sampling has taken this long, except to reach min_samples.
  Seconds budget{0.15};
  // A sample averages over as many calls as reach this: far above the clock's resolution.
  Seconds min_sample{200e-6};
  // Precise enough: half width of the 95 % confidence interval relative to the mean.
  double relative_half_width = 0.03;
};

enum class StoppedBy { kPrecision, kSampleCount, kBudget };
std::string_view to_string(StoppedBy reason);

struct Timings {
  std::vector<double> seconds;  // per call
  int calls_per_sample = 1;
  int warmup = 0;  // calls before the first sample
  StoppedBy stopped_by = StoppedBy::kPrecision;
};

// One warm-up call, then calls enough to learn how many make a sample, then samples.
// Throws MeasurementError if the clock does not advance.
Timings take_samples(const std::function<void()>& run, const Clock& clock,
                     const SamplingLimits& limits);

// The same where the time of so many calls is measured by other means, such as a GPU's own events;
// `clock` is asked for the budget only.
Timings take_samples(const std::function<Seconds(int)>& time_calls, const Clock& clock,
                     const SamplingLimits& limits);

// `value` to five significant digits, which is more than a timing has.
double rounded_sample(double value);

}  // namespace paceline
