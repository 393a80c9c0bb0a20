// Which other settings of the same run would make a measured rate what is predicted: the layout, a
// precision, a captured graph that someone did not mention.
#pragma once

#include <string>
#include <vector>

#include "model/plan/experiment.h"
#include "model/plan/report.h"
#include "simulator/device/training_device.h"

namespace paceline {

// The rates in which a measurement does not contradict a prediction.
struct RateRange {
  double low = 0;
  double high = 0;
  bool holds(double rate) const { return low <= rate && rate <= high; }
};
// The 90 % interval, wider by its own width again on both sides, and by a quarter at least.
RateRange believable(const Estimate& predicted);

struct Alternative {
  std::string setting;  // "--set layout=channels-last"
  Estimate samples_per_s{};
  // Whether a rate lies inside the interval of it: what fits. Any other is near at best.
  bool fits(double rate) const { return samples_per_s.p05 <= rate && rate <= samples_per_s.p95; }
};

// At most three in whose believable range the rate lies, those that fit it first, the nearest of
// each first. One change at a time: every value of every option that the framework has on this
// device, and every precision of the device; if none fits the rate, a precision together with an
// option. What cannot run is left out, and what does not move the
// prediction towards the rate by a twentieth: recomputing is no reason to be too fast. None for a
// job whose computing was measured (--calibrate, --profile).
std::vector<Alternative> alternatives_that_fit(double samples_per_s, const Experiment& resolved,
                                               const TrainingDevice& device);

}  // namespace paceline
