// Two predictions against one another. What is not known of both moves both: the families of
// kernels of one device, the collectives of one network. So the ratio of their rates may be known
// better than either rate. Nothing is simulated again: the parts of the two intervals are put
// together, each with the correlation that its unknowns have. docs/models/uncertainty.md.
#pragma once

#include <string_view>

#include "model/plan/report.h"

namespace paceline {

class PairedRates {
 public:
  // Reads what residuals of published jobs have in common, and how runs differ. Throws InputError.
  PairedRates();

  // Samples per second of a run of `of` over those of a run of `over`, with the 5 % and the 95 %
  // quantile. Of predictions that share nothing the interval is the root of the sum of squares of
  // both and of what two runs of one job differ by.
  Estimate ratio(const Report& of, const Report& over) const;

  // How much of what a part (IntervalPart::what) is about both have in common, 0 to 1.
  double common_share(std::string_view part, const Report& a, const Report& b) const;

  // ln of the ratio of two runs of one job at its 95 % quantile.
  double repeat() const { return repeat_; }

 private:
  double residual_share_;
  double repeat_;
};

// Whether the interval of a ratio holds 1: which of the two is larger is not known.
bool holds_one(const Estimate& ratio);

}  // namespace paceline
