// What an iteration would gain if one resource were twice as fast: what to change first.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/table.h"
#include "model/plan/iteration_plan.h"
#include "model/plan/report.h"
#include "simulator/report/report_parts.h"

namespace paceline {

struct Sensitivity {
  std::string what;   // "arithmetic twice as fast"
  double change = 0;  // of the iteration time, -0.12 for 12 % less
};

// Of the device itself, from its plan, whose times a job scales (job_scale.h): kernels that
// arithmetic bounds take half the time if arithmetic doubles, those that memory bounds if bandwidth
// does, and so for the exposed time of the issuing thread. A first-order answer: a kernel near the
// ridge of the roofline gains less. The largest gain first.
std::vector<Sensitivity> device_sensitivities(const IterationPlan& plan, const PhaseScale& scale,
                                              const Report& report);

void sort_by_gain(std::vector<Sensitivity>& list);
Table sensitivity_table(const std::vector<Sensitivity>& list);
nlohmann::ordered_json to_json(const std::vector<Sensitivity>& list);

}  // namespace paceline
