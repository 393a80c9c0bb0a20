// How long the kernels of each phase take in a job that was predicted, against one device by itself
// (simulator/report/job_report_parts.h).
#pragma once

#include "simulator/report/report_parts.h"
#include "traces/timeline/timeline.h"

namespace paceline {

// `timeline` is of the first iterations of what was predicted from `plan` in `report`; the update
// of its first rank is looked up there. All 1 for one device by itself.
PhaseScale phase_scale(const Report& report, const IterationPlan& plan, const Timeline& timeline);

}  // namespace paceline
