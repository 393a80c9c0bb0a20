// The interval of a job: each thing that is not known is moved to its 5 % and its 95 % quantile,
// the job is simulated under it, and what ln(iteration time) does is a part of the interval. So a
// slow network widens the interval of a job that waits for it, and not of one that hides it.
// docs/models/uncertainty.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/plan/report.h"
#include "simulator/job/job_conditions.h"
#include "simulator/report/job_residuals.h"

namespace paceline {

// A figure in the user's or a publication's words ("253.1 samples/s"): standard deviation of its
// logarithm from the digits that are given, uniform within half a unit of the last. Throws nothing;
// 0 if the text starts with no number.
double rounding_sd(const std::string& figure);

// The time of one iteration of `samples` that the figure states, as a rate or a time. Throws
// UsageError.
Seconds stated_time(const std::string& figure, double samples);

// What is known, and how well, about one job.
struct JobKnowledge {
  // ln(time) of what a device computes at its 5 % and 95 % quantiles.
  double computing_low = 0;   // not positive
  double computing_high = 0;  // not negative
  std::string computing_source;
  int ranks = 1;
  double stragglers = 0;  // ln(time) of the slowest rank's iteration; not negative
  // The time of one synchronization was measured: its sd; then nothing else of it is uncertain.
  bool measured_synchronization = false;
  double synchronization_sd = 0;
  JobResiduals residuals;
};

// The iteration time of the job under other conditions, in seconds.
using TimeUnder = std::function<double(const JobConditions&)>;

// Parts that change the time, in a fixed order. `time` is that under default conditions.
std::vector<IntervalPart> interval_parts(const JobKnowledge& known, double time,
                                         const TimeUnder& time_under);
// A warning if the interval spans more than a factor 1.5: what widens it most, if it has parts, and
// what would narrow it: `narrowing` (TrainingDevice) where that is what computing takes.
std::optional<std::string> wide_interval(const Estimate& estimate,
                                         const std::vector<IntervalPart>& parts,
                                         const std::string& narrowing);
Estimate with_interval(double time, const std::vector<IntervalPart>& parts);

}  // namespace paceline
