// One self-contained HTML page for one prediction or a sweep: works offline, on a phone, in dark
// mode and on paper. The charts are Chart.js (MIT), found when paceline is built or installed and
// copied into the page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answers/explain/sensitivity.h"
#include "core/table.h"
#include "model/cost/roofline.h"
#include "model/plan/iteration_plan.h"
#include "model/plan/report.h"
#include "simulator/memory/memory_tape.h"
#include "simulator/report/report_parts.h"
#include "traces/timeline/timeline.h"

namespace paceline {

// The others belong to a single report and may be missing.
struct PageContent {
  std::vector<Report> reports;  // one, or the points of a sweep in input order
  const IterationPlan* plan = nullptr;
  PhaseScale scale{};  // of its times in the job
  const Timeline* timeline = nullptr;
  const MemoryTape* memory = nullptr;
  std::optional<RooflineLimits> roofline{};
  std::vector<Sensitivity> sensitivities{};
};

// Throws InputError if the parts of the page or Chart.js are not installed, naming the package.
std::string html_page(const PageContent& content);

}  // namespace paceline
