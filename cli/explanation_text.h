// How `paceline explain` shows a prediction: one screen with the essential, or all of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answers/explain/exposure.h"
#include "answers/explain/kernel_rows.h"
#include "answers/explain/link_sweep.h"
#include "answers/explain/sensitivity.h"
#include "simulator/report/prediction.h"
#include "simulator/report/report_parts.h"

namespace paceline {

// All that explains one prediction, which must live as long.
struct Explanation {
  const Prediction& point;
  PhaseScale scale;  // of the times of its plan in the job
  std::vector<KernelRow> kernels;
  std::vector<Sensitivity> sensitivities;  // the largest gain first
  std::vector<PathPart> path;
  int path_iterations = 1;  // that the path goes through
  std::vector<TrackExposure> links;
  std::optional<BandwidthSweep> network;
};

// In at most kScreenRows rows: the bar of the time, what binds, what is exposed, what would shorten
// the iteration most, and the first warnings.
//
//   bottleneck  network cards of each machine (10gbe): busy 83 % of the iteration; ...
//   exposed     collectives of rank 0: 78.9 ms of 153 ms, 43 % of the iteration
//   gains       -41 % of the iteration with twice the bandwidth of 10gbe
//               -17 % with arithmetic twice as fast
//   knee        above 40.0 Gb/s a faster network gains less than 5 %
std::string explanation_screen(const Explanation& explanation);
// The screen of the prediction and every table.
std::string explanation_tables(const Explanation& explanation);

}  // namespace paceline
