// How long the kernels of each phase take in a job, against one device by itself: a measured rate
// scales all of them, collectives slow those beside them, and a shard is updated in a share of the
// time.
#pragma once

#include "simulator/report/report_parts.h"
#include "traces/timeline/timeline.h"

namespace paceline {

// `timeline` is of the first iterations of what was predicted from `plan` in `report`; the update
// of its first rank is looked up there. All 1 for one device by itself.
PhaseScale phase_scale(const Report& report, const IterationPlan& plan, const Timeline& timeline);

}  // namespace paceline
