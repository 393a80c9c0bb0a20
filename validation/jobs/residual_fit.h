// How far published jobs were from their predictions, as two ranges: of computing and of
// communication in a job (simulator/report/job_residuals.h). They are the narrowest with which nine
// of ten measurements lie inside the interval, every set counting once however many cases it has:
//
//   minimize   mean over sets, mean over cases   low + high
//   such that  mean over sets, share of cases    -low <= ln(measured / predicted) <= high   >= 0.9
//
// on a grid. Nothing is assumed of the form of the residuals; that the next set is like those seen
// is what makes the promise hold for it (the argument of conformal prediction: Vovk, Gammerman,
// Shafer, Algorithmic Learning in a Random World, 2005).
#pragma once

#include <array>
#include <vector>

#include "simulator/report/job_residuals.h"

namespace paceline {

// Sizes of a range, as ln(factor), that the search tries.
inline constexpr std::array<double, 12> kComputingGrid = {0,    0.02, 0.04, 0.06, 0.08, 0.1,
                                                          0.12, 0.15, 0.2,  0.25, 0.3,  0.4};
inline constexpr std::array<double, 12> kCommunicationGrid = {0,   0.1, 0.2, 0.3, 0.4, 0.5,
                                                              0.6, 0.8, 1.0, 1.3, 1.6, 2.0};

// One side of the interval of one case: lengths of ln(time), not negative.
struct IntervalSide {
  double known = 0;  // of everything that has a prior of its own
  std::array<double, kComputingGrid.size()> computing{};  // of the range at each size of the grid
  std::array<double, kCommunicationGrid.size()> communication{};
};

struct JobCase {
  double residual = 0;  // ln(measured / predicted)
  IntervalSide low;
  IntervalSide high;
};

// Of one or more sets with at least one case each; throws Error (internal) otherwise. The widest
// ranges of the grid if even they hold fewer.
JobResiduals fit_residuals(const std::vector<std::vector<JobCase>>& sets);

}  // namespace paceline
